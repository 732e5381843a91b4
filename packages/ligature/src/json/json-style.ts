/**
 * How a file writes its JSON, learned from its text, so that a replaced value looks like its neighbours and a diff of
 * before and after shows the change and nothing else.
 */

import type { Span } from "./scan-json.ts"

export interface JsonStyle {
  /** One level of margin; empty for JSON on one line. */
  readonly margin: string
  /** `{"a": 1, "b": 2}` rather than `{"a":1,"b":2}`. */
  readonly spaced: boolean
}

export function styleOf(text: string, from: number, to: number): JsonStyle {
  // Without what is in strings, where code and prose have spaces and line breaks of their own.
  const head = text.slice(from, Math.min(to, from + 4096)).replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/g, '""')
  const margin = /^[[{]\r?\n([ \t]+)\S/.exec(head)?.[1] ?? /[[{]\r?\n([ \t]+)"/.exec(head)?.[1] ?? ""
  return { margin, spaced: /"\s*:\s/.test(head) }
}

/** A value as text; `before` is the margin of the line it starts on. */
export function written(value: unknown, style: JsonStyle, before: string): string {
  if (style.margin !== "") return (JSON.stringify(value, null, style.margin) ?? "null").replaceAll("\n", `\n${before}`)
  if (!style.spaced) return JSON.stringify(value) ?? "null"
  // A raw line break is never inside a JSON string, so these are all structure.
  return (JSON.stringify(value, null, 1) ?? "null").replaceAll(/,\n */g, ", ").replaceAll(/\n */g, "")
}

/** The white space a container has before its first child, between two, and after its last. */
export interface Spacing {
  readonly open: string
  readonly between: string
  readonly close: string
  /** Margin of the children's lines. */
  readonly margin: string
  /** Children are written over several lines. */
  readonly tall: boolean
}

const childrenLookedAt = 8

export function spacingOf(text: string, container: Span, children: readonly Span[], style: JsonStyle): Spacing {
  const [first, second] = children
  const last = children.at(-1)
  const outer = lineMargin(text, container.start)
  if (first === undefined || last === undefined) {
    const inner = style.margin === "" ? "" : `\n${outer}${style.margin}`
    const close = style.margin === "" ? "" : `\n${outer}`
    const between = `,${inner || (style.spaced ? " " : "")}`
    return { open: inner, between, close, margin: outer + style.margin, tall: style.margin !== "" }
  }
  const open = text.slice(container.start + 1, first.start)
  const close = text.slice(last.end, container.end - 1)
  const between = second === undefined ? `,${open || (style.spaced ? " " : "")}` : text.slice(first.end, second.start)
  const samples = children.slice(0, childrenLookedAt).filter(({ start, end }) => end - start > "{}".length)
  const isTall = samples.length === 0 || samples.some(({ start, end }) => text.slice(start, end).includes("\n"))
  return { open, between, close, margin: lineMargin(text, first.start), tall: style.margin !== "" && isTall }
}

function lineMargin(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ""
}
