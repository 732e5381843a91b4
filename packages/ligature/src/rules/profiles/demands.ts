/**
 * Why a provider makes the demand that a finding is about: the sentence of the rule book with the error text people see, or
 * a sentence that holds for every provider. The book is large, and most histories give no such finding: it is loaded when
 * one does, where the runtime can do that, or with `import "ligature/rules"`.
 */
import type { Profile } from "./profile.ts"

/** Where the book has no sentence for the provider. */
export const generalDemands: Readonly<Record<string, string>> = {
  "call-beside-text": "Some models take text or tool calls in one message, not both.",
  "call-content": "Servers differ in what they take as the content of a message that has only tool calls.",
  "call-id-format": "Each provider has its own rule for the ids of tool calls.",
  "content-string": "Content is one text, not a list of parts.",
  "document-position": "Documents and images belong in user messages.",
  "empty-result": "A result without content is rejected.",
  "first-role": "A conversation begins with the user.",
  "foreign-opaque": "A provider rejects blocks that only another API has.",
  "foreign-thinking": "Thinking is only of use to the model that wrote it, and other APIs have no field for it.",
  "last-role": "The request ends with what the model is to answer: a user message or tool results.",
  "media-data": "Every request that contains it is rejected.",
  "media-limit": "Every request that contains it is rejected.",
  "media-type": "Every request that contains it is rejected.",
  "no-messages": "A request has at least one message.",
  "parallel-calls": "The chat template takes one tool call per message.",
  "prefix-binding": "Signed thinking belongs to everything before it; after a change it no longer verifies.",
  "result-beside-text": "The model answers tool results before the user continues.",
  "result-name": "A result names the tool it answers.",
  "result-media": "Media belongs in user messages.",
  "role-alternation": "User and assistant take turns.",
  "system-position": "System messages come first.",
  "thinking-forbidden": "A reasoning field in a message is rejected as an unknown field.",
  "thinking-required": "Assistant messages with tool calls carry their reasoning.",
  "thinking-signature": "Thinking without a signature cannot be verified.",
  "thought-signature": "Function calls carry the signature of the thought before them.",
  "tool-list": "Tool calls are rejected in a request that declares no tools.",
  "tool-name-format": "Each provider has its own rule for the names of tools.",
  "trailing-whitespace": "White space at the end is rejected.",
  "unknown-field": "Fields that an API does not know are rejected.",
  "wire-shape": "The API documents one way to write this, and rejects or ignores others.",
}

type Quote = (profile: string, rule: string) => string | undefined

let quote: Quote | undefined

let load: (() => void) | undefined

/** How the rule book makes itself known. */
export const quoteWith = (book: Quote): void => {
  quote = book
}

/** How the rule book is loaded, where the runtime can do that within a function. */
export const loadBookWith = (loader: () => void): void => {
  load = loader
}

/** The demand a finding is about, with the error text of the provider where it is known. */
export const demandOf = ({ name, title }: Profile, rule: string): string => {
  if (!quote && load) {
    const once = load
    load = undefined
    once()
  }
  return quote?.(name, rule) ?? generalDemands[rule] ?? `${title} would reject it.`
}
