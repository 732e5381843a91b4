/**
 * Stepwise migrations of stored lines: step n turns a line of version n into one of version n + 1. A log is never
 * rewritten; its old lines go through the steps each time they are read, and the rest of the code knows one shape.
 */
import type { Wire } from "../model/index.ts"
import { formatVersion } from "./entry.ts"
import { entryPerLine } from "./migrations/000-entry-per-line.ts"

/** One step, for a header or any other line. Lines it does not understand come back as they are. */
export type Migration = (line: Wire) => Wire

export const migrations: readonly Migration[] = [entryPerLine]

/** Brings a line of an older version to the current one. */
export const migrateLine = (line: Wire, version: number): Wire =>
  version >= formatVersion ? line : migrations.slice(version).reduce((value, step) => step(value), line)
