/** Pieces that several statements are made of. */
import { hexHash } from "../../model/index.ts"

export interface Statement {
  readonly text: string
  /** Under this name the server keeps its plan. */
  readonly name: string
}

/** A name as SQL writes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const statement = (text: string): Statement => ({ text, name: `ligature_${hexHash(text, 16)}` })

/** Time by the server's clock, the one clock all share, unless the caller has one (the parameter is not null). */
export const serverTime = (parameter: string): string =>
  `coalesce(${parameter}::float8, floor(extract(epoch from clock_timestamp()) * 1000)::float8)`

/** `on` is never less than what the server does by itself. */
export const commitMode = (parameter: string): string =>
  `case when ${parameter}::text = 'off' or current_setting('synchronous_commit') = 'off'
    then set_config('synchronous_commit', ${parameter}::text, true) end`
