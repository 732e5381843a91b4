/**
 * Reasoning that lost its follower to another repair: a copy of a call that was left out, or a call that nobody answered.
 * It leads to nothing now, and its provider rejects it (L9). Looked at when all rules are done, in edited messages only.
 */
import type { Block } from "../../model/index.ts"
import type { Draft } from "../draft.ts"
import { splitSpan } from "../catalog/split-span.ts"
import type { Spot } from "../survey/index.ts"
import { says } from "../survey/text.ts"

const isFollowed = (draft: Draft, spot: Spot): boolean => {
  const blocks = draft.survey.transcript.messages[spot.message]?.blocks ?? []
  const edits = draft.edits.get(spot.message)
  for (let index = spot.block + 1; index < blocks.length; index++) {
    const left = edits?.get(index) ?? [blocks[index] as Block]
    if (left.some((block) => block.type !== "thinking" && block.type !== "result" && says(block))) return true
  }
  return false
}

export const dropUnfollowed = (draft: Draft): void => {
  const { survey, edits, dropped, policies } = draft
  for (const spot of survey.tied) {
    if (!edits.has(spot.message) || dropped.has(spot.message) || !draft.current(spot) || isFollowed(draft, spot)) continue
    splitSpan.repair(spot, draft, splitSpan.describe(spot, survey, policies))
  }
}
