/** Todos and plans in the forms agents write them: a list of objects with a status, or a list with boxes. */
import type { CallBlock, JsonValue } from "../../model/index.ts"

export interface Todo {
  readonly text: string
  readonly status: "active" | "open" | "done"
}

export const statusOf = (value: unknown): Todo["status"] => {
  const said = typeof value === "string" ? value.toLowerCase() : ""
  if (/complete|done|cancel|closed|delete|finish|skip|removed|resolved/.test(said)) return "done"
  return /progress|active|doing|started|running/.test(said) ? "active" : "open"
}

const textKeys = ["content", "step", "title", "text", "description", "subject", "task", "name"]

const todoOf = (value: JsonValue): Todo | undefined => {
  if (typeof value === "string") return value.trim() === "" ? undefined : { text: value, status: "open" }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined
  const record = value as Readonly<Record<string, JsonValue>>
  const key = textKeys.find((each) => typeof record[each] === "string" && record[each] !== "")
  if (key === undefined) return undefined
  const isDone = record["done"] === true || record["completed"] === true
  return { text: record[key] as string, status: isDone ? "done" : statusOf(record["status"] ?? record["state"]) }
}

const box = /^\s*(?:[-*]|\d+[.)])?\s*\[( |x|X|-|~|>|•|✓)\]\s*\S/

const todosInText = (text: string): readonly Todo[] | undefined => {
  const found: Todo[] = []
  for (const line of text.split("\n")) {
    const mark = box.exec(line)?.[1]
    if (mark !== undefined) found.push({ text: line, status: mark === " " ? "open" : "xX✓".includes(mark) ? "done" : "active" })
  }
  return found.length > 0 ? found : undefined
}

export const todosOf = (call: CallBlock): readonly Todo[] | undefined => {
  for (const key of ["todos", "plan", "tasks", "items", "todo", "todoList", "todo_list"]) {
    const value = Object.hasOwn(call.arguments, key) ? call.arguments[key] : undefined
    if (Array.isArray(value)) return value.flatMap((each) => todoOf(each as JsonValue) ?? [])
    const found = typeof value === "string" ? todosInText(value) : undefined
    if (found) return found
  }
  return undefined
}
