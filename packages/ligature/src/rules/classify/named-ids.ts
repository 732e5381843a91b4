// The ids a refusal names: of calls, results, items, responses. They are found by the words before them, because
// an id itself may look like anything (`call_x`, `functions.Bash:0`, nine random characters).

// Words that nothing but ids can follow.
const certain =
  "immediately after:|response messages:|(?:following|duplicate) Ids:|_result`? blocks:|with id:|tool id\\(|" +
  "(?:Duplicate|Unexpected) tool call id|Tool call id was"
// Words that an id may follow, quoted, or bare if it looks like one.
const likely = "with id|for id|call_id['\"`]?(?: of|:)?|\\bitems?:?(?= ?['\"`])|\\.id':"
// Words that a quoted tool name may follow just as well, so that only a bare id counts.
const possible = "(?:function|custom tool|apply patch|tool) call"
const cues = new RegExp(`(${certain})|(${likely})|${possible}`, "gi")
const quoted = / ?(['"`])([^'"`]{1,2000})\1/y
const bare = / ?([A-Za-z0-9_][\w.:|-]{0,2000})(?!\[)/y
const separator = /,(?: and)?| and(?= )/y
const fieldNames = /^(?:tool_calls?|tool_use|tool_result|tool_call_id|call_id|tool_outputs?)$/

// An id may be before the words that were recognised ("Item 'fc_1' of type …"), a list of them after.
const charactersBefore = 700
const charactersAfter = 40_000

/** The ids named by the refusal that is at `start` to `end` of the text, each once, in order. */
export function namedIds(text: string, start: number, end: number): readonly string[] {
  const window = text.slice(Math.max(0, start - charactersBefore), end + charactersAfter)
  const ids = new Set<string>()
  for (const cue of window.matchAll(cues)) {
    const isCertain = cue[1] !== undefined
    const mayBeQuoted = isCertain || cue[2] !== undefined
    let position = cue.index + cue[0].length
    for (;;) {
      const found = (mayBeQuoted ? readQuoted(window, position) : undefined) ?? readBare(window, position)
      if (found === undefined || !(isCertain || looksLikeId(found.id)) || fieldNames.test(found.id)) break
      ids.add(found.id)
      separator.lastIndex = found.end
      if (!separator.test(window)) break
      position = separator.lastIndex
    }
  }
  return [...ids]
}

type FoundId = { readonly id: string; readonly end: number }

function readQuoted(window: string, position: number): FoundId | undefined {
  quoted.lastIndex = position
  const id = quoted.exec(window)?.[2]
  return id === undefined ? undefined : { id, end: quoted.lastIndex }
}

function readBare(window: string, position: number): FoundId | undefined {
  bare.lastIndex = position
  const word = bare.exec(window)?.[1]
  if (word === undefined) return undefined
  // The full stop of a sentence is not part of the id it ends with.
  const id = word.replace(/[.:|-]{1,8}$/, "")
  return { id, end: bare.lastIndex - (word.length - id.length) }
}

function looksLikeId(word: string): boolean {
  return /[\d_-]/.test(word)
}
