/**
 * How secrets look. Each pattern begins at an edge, and takes what follows as far as the characters of such a secret go; the first group,
 * where there is one, is what stays. They are matched in plain text and in JSON inside of a string, where a line break is `\n` and a
 * quote `\"`.
 */

/** Not inside of a word; the `n` of an escaped line break is none. */
const edge = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbfv])`

const prefixed = (...patterns: readonly string[]): RegExp => new RegExp(`${edge}(?:${patterns.join("|")})`, "g")

export interface SecretPattern {
  /** In the placeholder: `[redacted-github-token-1]`. */
  readonly kind: string
  readonly pattern: RegExp
  /** A text without this has no such secret: looked for first where the pattern is slow to say so. */
  readonly needs?: string
  /** Whether what comes after the first group is a secret, where the pattern alone cannot tell. */
  readonly isSecret?: (secret: string, before: string) => boolean
}

/** Code, or what stands for a secret: `process.env.KEY`, `${TOKEN}`, `<your key>`, `xxxx`, `****`. */
const stand =
  /^[[<$%{(]|[(${<]|\.env\b|environ|^(?:your|example|test|dummy|placeholder|changeme|redacted|null|undefined|true|false)|^(.)\1*$/i

const hasBoth = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text)

/** A user and a password, as headers and files of registries have them. */
const isBasic = (text: string): boolean => {
  try {
    return /^[\w.@+-]{0,100}:./.test(atob(text))
  } catch {
    return false
  }
}

/** What a command was given as a password: no variable, no option. */
const isTyped = (text: string): boolean => !stand.test(text) && !text.startsWith("-")

/** What is assigned to a name like `password`: no code, and not a word of prose. */
const isAssigned = (value: string, before: string): boolean => {
  if (stand.test(value)) return false
  const isQuoted = /["'`]$/.test(before)
  if (isQuoted) return value.length >= 8 && hasBoth(value)
  const isVariable = /^[A-Z_]{4,}\s?=$/.test(before)
  if (isVariable) return value.length >= 6
  return value.length >= 12 && hasBoth(value) && !/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)
}

const secretNames = String.raw`api[_-]?key|secret|passw(?:or)?d|passphrase|token|private[_-]?key|access[_-]?key|auth[_-]?key|credentials?`

/** A field whose value is a secret, whatever it looks like. */
export const secretField =
  /(?:^|[_.-]|[a-z])(?:api[_-]?key|secret|passw(?:or)?d|passphrase|(?:access|auth|refresh|id|session|bearer)[_-]?token|(?:private|access|secret)[_-]?key|authorization|cookie)$|^(?:token|pwd|passwd|pass)$/i

export const isFieldSecret = (value: string): boolean => value.length >= 8 && !stand.test(value) && !/\s.*\s/.test(value)

export const secretPatterns: readonly SecretPattern[] = [
  {
    kind: "private-key",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:(?!-----END)[A-Za-z0-9+/=\s\\.:,()-])*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
  },
  { kind: "anthropic-key", pattern: prefixed("sk-ant-[A-Za-z0-9_-]{20,}") },
  { kind: "github-token", pattern: prefixed("gh[pousr]_[A-Za-z0-9]{30,}", "github_pat_[A-Za-z0-9_]{40,}") },
  { kind: "gitlab-token", pattern: prefixed("gl(?:pat|dt|rt|ptt|oas|ft|agent|imt|cbt|soat|ffct)-[A-Za-z0-9_-]{20,}") },
  {
    kind: "slack-token",
    pattern: prefixed("xox[a-eo-s]-[A-Za-z0-9%-]{10,}", "xapp-\\d-[A-Za-z0-9-]{10,}", "https://hooks\\.slack\\.com/services/[\\w/-]{10,}"),
  },
  // The two parts of a key, as a list of keys has them.
  {
    kind: "aws-key",
    needs: "IA",
    pattern: /((?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?:\\[nrt]|[^A-Za-z0-9/+\\]){1,8})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g,
    isSecret: hasBoth,
  },
  { kind: "aws-key", pattern: prefixed("(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])") },
  {
    kind: "google-key",
    pattern: prefixed(
      "AIza[A-Za-z0-9_-]{35}",
      "GOCSPX-[A-Za-z0-9_-]{20,}",
      "ya29\\.[A-Za-z0-9_.-]{20,}",
      "1//0[A-Za-z0-9_-]{30,}",
      "AQ\\.Ab[A-Za-z0-9_-]{30,}",
    ),
  },
  {
    kind: "azure-key",
    needs: "Key=",
    pattern: /((?:Account|SharedAccess|SharedSecret)Key=)[A-Za-z0-9+/]{40,}={0,2}/g,
  },
  { kind: "azure-key", needs: "Q~", pattern: prefixed("[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,40}") },
  { kind: "stripe-key", pattern: prefixed("[sr]k_(?:live|test)_[A-Za-z0-9]{10,}", "whsec_[A-Za-z0-9+/=]{20,}") },
  {
    kind: "api-key",
    pattern: prefixed(
      "sk-(?=[A-Za-z_-]*\\d)[A-Za-z0-9_-]{20,}",
      "npm_[A-Za-z0-9]{36}",
      "pypi-[A-Za-z0-9_-]{50,}",
      "hf_[A-Za-z0-9]{30,}",
      "gsk_[A-Za-z0-9]{30,}",
      "xai-[A-Za-z0-9]{40,}",
      "r8_[A-Za-z0-9]{30,}",
      "pplx-[A-Za-z0-9]{40,}",
      "tvly-[A-Za-z0-9-]{20,}",
      "fw_[A-Za-z0-9]{20,}",
      "SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}",
      "dop_v1_[a-f0-9]{64}",
      "shp(?:at|ca|pa|ss)_[a-f0-9]{32}",
      "dapi[a-f0-9]{32}",
      "sbp_[a-f0-9]{40}",
      "lin_api_[A-Za-z0-9]{30,}",
      "figd_[A-Za-z0-9_-]{30,}",
      "AGE-SECRET-KEY-1[A-Z0-9]{50,}",
      "hv[sbr]\\.[A-Za-z0-9_-]{24,}",
      "ATATT3[A-Za-z0-9_=-]{60,}",
      "ATBB[A-Za-z0-9]{32,}",
      "gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}",
      "NR(?:AK|AL|II|JS|RA)-[A-Za-z0-9_-]{19,}",
      "sntry[su]_[A-Za-z0-9+/=_-]{40,}",
      "dckr_[po]at_[A-Za-z0-9_-]{20,}",
      "ntn_[A-Za-z0-9]{40,}",
      "secret_[A-Za-z0-9]{40,}",
      "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}",
      "PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
      "CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}",
      "v1\\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
      "vercel_[a-z_]{1,20}_[A-Za-z0-9_]{24,}",
      "sb_secret_[A-Za-z0-9_-]{20,}",
      "pscale_[a-z]{2,8}_[A-Za-z0-9_.=-]{30,}",
      "f(?:m[12][ar]?|o1)_[A-Za-z0-9+/=_-]{40,}",
      "rubygems_[a-f0-9]{48}",
      "CLOJARS_[a-z0-9]{60}",
      "lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}",
      "tgp_v1_[A-Za-z0-9_-]{30,}",
      "nvapi-[A-Za-z0-9_-]{40,}",
      "sk_[a-f0-9]{40,}",
      "csk-[a-z0-9]{40,}",
      "fc-[a-f0-9]{32}",
      "BSA[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])",
      "ph[acrsx]_[A-Za-z0-9]{36,}",
      "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9.]{40,}",
      "ops_eyJ[A-Za-z0-9+/=_-]{60,}",
      "(?:SK|AC|key-)[a-f0-9]{32}(?![A-Za-z0-9])",
      "LTAI[A-Za-z0-9]{16,26}(?![A-Za-z0-9])",
      "AKID[A-Za-z0-9]{32}",
      "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
      "rzp_(?:live|test)_[A-Za-z0-9]{14,}",
    ),
  },
  { kind: "api-key", needs: ".atlasv1.", pattern: prefixed("[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}") },
  { kind: "api-key", needs: "-us", pattern: prefixed("[a-f0-9]{32}-us\\d{1,2}(?![A-Za-z0-9])") },
  { kind: "api-key", needs: ":AA", pattern: /(?<=^|[^A-Za-z0-9]|\\[nrtbfv]|bot)\d{8,10}:AA[A-Za-z0-9_-]{32,}/g },
  { kind: "token", needs: "discord", pattern: /(\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,24}\/)[A-Za-z0-9_-]{40,}/g },
  { kind: "token", pattern: prefixed("[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}") },
  { kind: "token", needs: ".webhook.", pattern: /(\.webhook\.office\.com\/webhookb2\/)[\w@/-]{40,}/g },
  { kind: "token", pattern: prefixed("eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]+)*") },
  { kind: "token", pattern: /\b((?:Bearer|bearer|Basic|Token|SSWS)\s{1,3})(?=[A-Za-z+/=._~-]*\d)[A-Za-z0-9+/=._~-]{16,}/g },
  {
    kind: "token",
    needs: "@",
    pattern: /\b(https?:\/\/)[^\s/:@"'<>\\?#]{16,250}(?=(?::[^\s/@"'<>\\]{0,100})?@)/g,
    isSecret: hasBoth,
  },
  {
    kind: "password",
    needs: "curl",
    pattern: /(\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[= ]{0,2}\\?["']?[^\s:"'@\\]{1,100}:)[^\s"'\\]{3,200}/g,
    isSecret: isTyped,
  },
  { kind: "password", needs: "sshpass", pattern: /(\bsshpass\s{1,3}-p\s{0,3}\\?["']?)[^\s"'\\]{3,200}/g, isSecret: isTyped },
  {
    kind: "password",
    needs: " -p",
    pattern: /(\b(?:mysql|mysqldump|mysqladmin|mariadb|mycli)\b[^\n|;&]{0,200}?\s-p\\?["']?)[^\s"'\\;|&]{4,200}/g,
    isSecret: isTyped,
  },
  {
    kind: "password",
    needs: "machine",
    pattern:
      /(\bmachine(?:\s|\\n){1,3}\S{1,200}(?:\s|\\n){1,3}login(?:\s|\\n){1,3}\S{1,200}(?:\s|\\n){1,3}password(?:\s|\\n){1,3})[^\s"'\\]{3,200}/g,
    isSecret: isTyped,
  },
  {
    kind: "secret",
    needs: "--",
    pattern: /(\s--(?:password|passwd|token|api-key|apikey|secret|client-secret|(?:access|auth)-token)\s{1,3}\\?["']?)[^\s"'\\]{6,200}/g,
    isSecret: (text) => isTyped(text) && hasBoth(text),
  },
  {
    kind: "secret",
    needs: "auth",
    pattern: /((?:\b|_)auth\\?"?\s{0,3}[=:]\s{0,3}(?:\\?")?)[A-Za-z0-9+/]{11,200}={0,2}/g,
    isSecret: isBasic,
  },
  {
    kind: "secret",
    pattern: /\b([A-Z][A-Z0-9_]{0,40}_(?:KEY|PASS|PWD|PAT|DSN)\s?=\s?(?:\\?["'])?)[^\s"'`\\,;)}\]]{8,}/g,
    isSecret: (text) => !stand.test(text) && hasBoth(text) && (text.length >= 12 || /[^\w.-]/.test(text)),
  },
  {
    kind: "password",
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>\\]{0,100}:)[^\s/@"'<>\\]{1,200}(?=@)/g,
    isSecret: (text) => !stand.test(text),
  },
  {
    kind: "token",
    pattern: /([?&][\w.-]{0,40}(?:key|token|secret|passw(?:or)?d|sig|signature|auth|credential)=)[^&\s"'<>#\\]{8,}/gi,
    isSecret: (text) => !stand.test(text) && hasBoth(text),
  },
  {
    kind: "token",
    pattern: /\b((?:set-)?cookie\s{0,2}:\s{0,2})[^\s"'\\][^"'\r\n\\]{7,}/gi,
    isSecret: (text) => text.includes("=") && !stand.test(text),
  },
  {
    kind: "secret",
    pattern: new RegExp(
      String.raw`((?:${secretNames})[A-Za-z0-9_]{0,20}(?:\\?["'])?\s{0,3}(?::=|=>|[=:])\s{0,3}(?:\\?["'` +
        "`" +
        String.raw`])?)(?![\w-]{1,40}:\s)[^\s"'` +
        "`" +
        String.raw`\\,;)}\]]{6,}`,
      "gi",
    ),
    isSecret: isAssigned,
  },
]
