/**
 * What `claude -p --output-format stream-json` prints: the same messages as in the session file, as a flat list in the
 * order in which they came. Default view: whole. Streams are read and repaired, never made from other conversations:
 * no agent opens them.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "../claude-code/capabilities.ts"
import { decodeRecords } from "../claude-code/decode.ts"
import { nativeSession } from "../claude-code/encode.ts"
import { outlineRecords } from "../claude-code/outline.ts"
import { pulse } from "../claude-code/pulse.ts"
import { rewrite } from "../claude-code/rewrite.ts"
import { format, streamDialect } from "./dialect.ts"
import { recognise } from "./recognise.ts"

const noRecords: Wire = { records: [] }

export const claudeStreamJson: SessionCodec = withDepthLimit({
  format,
  title: "Claude Code stream (stream-json)",
  capabilities,
  decode: (value, options = {}) => decodeRecords(value, options, streamDialect),
  encode: (conversation) => {
    const session = nativeSession(conversation, format)
    return session ? { records: rewrite(conversation, session, format) } : noRecords
  },
  session: {
    agent: "Claude Code",
    layout: "lines",
    writes: "own",
    view: "whole",
    aliases: ["stream-json"],
    recognise,
    outline: (value) => outlineRecords(value, streamDialect),
    pulse: (record) => (isWire(record) && typeof record["parent_tool_use_id"] === "string" ? {} : pulse(record)),
  },
})
