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
  /** Whether what comes after the first group is a secret, where the pattern alone cannot tell. */
  readonly isSecret?: (secret: string, before: string) => boolean
}

/** Code, or what stands for a secret: `process.env.KEY`, `${TOKEN}`, `<your key>`, `xxxx`, `****`. */
const stand =
  /^[[<$%{(]|[(${<]|\.env\b|environ|^(?:your|example|test|dummy|placeholder|changeme|redacted|null|undefined|true|false)|^(.)\1*$/i

const hasBoth = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text)

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
  /(?:^|[_.-]|[a-z])(?:api[_-]?key|secret|passw(?:or)?d|passphrase|(?:access|auth|refresh|id|session|bearer)[_-]?token|(?:private|access|secret)[_-]?key|authorization|cookie)$|^token$/i

export const isFieldSecret = (value: string): boolean => value.length >= 8 && !stand.test(value) && !/\s.*\s/.test(value)

export const secretPatterns: readonly SecretPattern[] = [
  {
    kind: "private-key",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:(?!-----END)[A-Za-z0-9+/=\s\\.:,()-])*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
  },
  { kind: "anthropic-key", pattern: prefixed("sk-ant-[A-Za-z0-9_-]{20,}") },
  { kind: "github-token", pattern: prefixed("gh[pousr]_[A-Za-z0-9]{30,}", "github_pat_[A-Za-z0-9_]{40,}") },
  { kind: "gitlab-token", pattern: prefixed("gl(?:pat|dt|rt|ptt|oas|ft)-[A-Za-z0-9_-]{20,}") },
  {
    kind: "slack-token",
    pattern: prefixed("xox[abeoprs]-[A-Za-z0-9-]{10,}", "xapp-\\d-[A-Za-z0-9-]{10,}", "https://hooks\\.slack\\.com/services/[\\w/-]{10,}"),
  },
  { kind: "aws-key", pattern: prefixed("(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])") },
  { kind: "google-key", pattern: prefixed("AIza[A-Za-z0-9_-]{35}", "GOCSPX-[A-Za-z0-9_-]{20,}", "ya29\\.[A-Za-z0-9_.-]{20,}") },
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
      "\\d{8,10}:AA[A-Za-z0-9_-]{32,}",
    ),
  },
  { kind: "token", pattern: prefixed("eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]+)*") },
  { kind: "token", pattern: /\b((?:Bearer|bearer|Basic|Token)\s{1,3})(?=[A-Za-z+/=._~-]*\d)[A-Za-z0-9+/=._~-]{16,}/g },
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
        String.raw`])?)[^\s"'` +
        "`" +
        String.raw`\\,;)}\]]{6,}`,
      "gi",
    ),
    isSecret: isAssigned,
  },
]
