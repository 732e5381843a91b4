/**
 * Which call started which sub-agent. Files say it in many ways or not at all; but the first words that a sub-agent was told are words of
 * the call that started it.
 */
import type { CallBlock, SessionPath } from "../library-types.ts"
import type { Child } from "../source/source.ts"
import type { History } from "./open.ts"

/** A conversation that a call started: another path of the same file, or a file of its own. */
export type Subagent = { readonly kind: "path"; readonly path: SessionPath } | { readonly kind: "file"; readonly child: Child }

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** Texts in the arguments of a call. */
const textsOf = ({ arguments: given }: CallBlock): readonly string[] =>
  Object.values(given).flatMap((value) => (typeof value === "string" && value.length > 8 ? [plain(value)] : []))

export interface Subagents {
  readonly ofCall: (call: CallBlock) => Subagent | undefined
  /** Of which no call is known. */
  readonly others: readonly Subagent[]
}

export const subagentsOf = ({ outline, rows }: History, children: readonly Child[]): Subagents => {
  const all: readonly (readonly [Subagent, string | undefined])[] = [
    ...(outline?.paths ?? []).flatMap((path): (readonly [Subagent, string | undefined])[] =>
      path.kind === "subagent" ? [[{ kind: "path", path }, path.title]] : [],
    ),
    ...children.map((child): readonly [Subagent, string | undefined] => [{ kind: "file", child }, child.title]),
  ]
  if (all.length === 0) return { ofCall: () => undefined, others: [] }
  const found = new Map<string, Subagent>()
  const others: Subagent[] = []
  const calls = rows.flatMap((row) => row.calls.map(({ call }) => ({ call, texts: textsOf(call) })))
  for (const [subagent, title] of all) {
    const words = plain(title ?? "").replace(/…$/, "")
    const started =
      words.length < 8
        ? undefined
        : calls.find(({ call, texts }) => !found.has(call.id) && texts.some((text) => text.startsWith(words) || words.startsWith(text)))
    if (started) found.set(started.call.id, subagent)
    else others.push(subagent)
  }
  return { ofCall: ({ id }) => found.get(id), others }
}
