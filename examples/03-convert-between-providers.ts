/**
 * One conversation for four providers.
 */
import { decode, encode, settle, type ProfileName } from "ligature"

const request = {
  system: "You are a careful engineer.",
  messages: [
    { role: "user", content: "What time is it?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_01A09q90qw90lq91", name: "clock", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01A09q90qw90lq91", content: "12:00" }] },
    { role: "assistant", content: "Noon." },
    { role: "user", content: "Thank you." },
  ],
}

export const run = () => {
  const { conversation } = settle(decode("anthropic", request))

  // A profile is what one provider demands beyond the invariants. What had to change for it is in the report: Mistral, for
  // example, takes ids of exactly nine letters and digits, and no user text directly after results.
  const requestFor = (profile: ProfileName) => encode(conversation, profile).value

  return {
    chat: requestFor("openai-chat"),
    responses: requestFor("openai-responses"),
    gemini: requestFor("gemini"),
    mistral: requestFor("mistral"),
  }
}
