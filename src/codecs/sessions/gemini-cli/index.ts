/**
 * Sessions of the Gemini CLI: until April 2026 one JSON object per file, since then JSON lines. Two codecs, because a
 * codec has one layout; both read and write the same records.
 */
import type { SessionCodec } from "../../session.ts"
import { capabilities } from "./capabilities.ts"
import { decoderOf } from "./decode.ts"
import { encoderOf } from "./encode.ts"
import { format, linesFormat } from "./fields.ts"
import { outline, placeOf, pulse, recogniseLines, recogniseValue } from "./outline.ts"

export const geminiCli: SessionCodec = {
  format,
  title: "Gemini CLI session (JSON)",
  capabilities,
  decode: decoderOf(format),
  encode: encoderOf(format, "value"),
  session: {
    agent: "Gemini CLI",
    layout: "value",
    writes: "any",
    aliases: ["gemini-cli-json"],
    recognise: recogniseValue,
    outline,
    place: placeOf("json"),
  },
}

export const geminiCliLines: SessionCodec = {
  format: linesFormat,
  title: "Gemini CLI session (JSON lines)",
  capabilities,
  decode: decoderOf(linesFormat),
  encode: encoderOf(linesFormat, "lines"),
  session: {
    agent: "Gemini CLI",
    layout: "lines",
    writes: "any",
    aliases: [],
    recognise: recogniseLines,
    outline,
    pulse,
    place: placeOf("jsonl"),
  },
}
