/**
 * Where our counts of real files differ from the manifest of the corpus, and why. The manifest was made by simple counters, one per
 * format, that look for blocks and records; each row here is a place where the reader sees more than such a counter can. A test
 * compares every file and fails for a difference without a row, and for a row without a difference; the page is made of it.
 */

export interface Difference {
  /** Files of the corpus, as `folder/name`. */
  readonly files: readonly string[]
  readonly why: string
}

const numbered = (stem: string, from: number, to: number, ending: string): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${stem}-${String(from + index).padStart(2, "0")}${ending}`)

/** Calls, results, orphans, unanswered calls or compactions differ. */
export const differences: readonly Difference[] = [
  {
    files: numbered("cline-api/RooCodeInc+Roo-Code", 0, 5, ".json"),
    why: "All calls and results of these files are text. The manifest counts blocks and finds none; we read them, and the completion at the end has no answer.",
  },
  {
    files: numbered("openai-messages/OpenHands+software-agent-sdk", 2, 11, ".json"),
    why: "Logs of requests: the reply is beside the request it answers and belongs to the conversation. Its calls are answered in the next log, so they are open here.",
  },
  {
    files: numbered("openai-messages/SWE-agent+SWE-agent", 0, 2, ".jsonl"),
    why: "Each line is a whole conversation that ends in the call which submits the work; nothing answers it, and the manifest leaves it out.",
  },
  {
    files: numbered("openai-messages/THUDM+AgentBench", 0, 4, ".json"),
    why: "Examples in which a call is followed by a message of the user instead of its result; the manifest counts a call as answered when the next message is not the model's.",
  },
  {
    files: ["openai-responses/NVIDIA-NeMo+Gym-00.jsonl"],
    why: "The manifest also counts the calls of `expected_action`, the grader's key and no part of the conversation.",
  },
  {
    files: ["openai-responses/NVIDIA-NeMo+Gym-07.jsonl"],
    why: "The manifest also counts `result.messages[].responses`, where the simulator repeats the replies of the rollout.",
  },
  {
    files: ["tau2/oscaralvaro+tau2-bench-00.json"],
    why: "Eight calls are made by the simulated user, not by the agent: they are told as the user's words, and are no calls of the conversation.",
  },
  {
    files: numbered("anthropic-messages/aorwall+moatless-tools", 0, 1, ".json"),
    why: "Logs of requests: the reply beside the request is read as well, and its call is answered in the next entry.",
  },
  {
    files: ["anthropic-messages/anthropics+anthropic-sdk-typescript-00.json"],
    why: "Logs of requests: the reply beside the request is read as well, and its call is answered in the next entry.",
  },
]

/** How the manifest counts messages where that is not how a conversation does: folder by folder. */
export const messageCounts: readonly (readonly [folder: string, why: string])[] = [
  [
    "claude-code",
    "Counts user and assistant lines. One message of the model lies on several lines, one block each, and is one message here; lines that are not from the model (API errors, synthetic replies) are none.",
  ],
  [
    "codex-rollout",
    "Counts message items only; here the message with a call and the message with its result count too, and prompts that exist only as events.",
  ],
  ["codex-rollout-old", "As codex-rollout."],
  ["copilot-cli", "Counts user and assistant events; here the messages that carry results count too."],
  [
    "gemini-cli",
    "Counts records, notices on the screen included; here a record with calls and results is two messages, and a notice is none.",
  ],
  ["opencode-export", "Counts stored messages; one of them may hold several steps, each a message of the model with its results after it."],
  ["pi", "Counts entries; an empty answer that broke off is no message, and a summary is one."],
  ["openhands-v1", "Counts events; events of one reply of the model are one message."],
  ["tau2", "Counts the simulated user's calls and results as messages."],
  ["openai-messages, anthropic-messages", "The reply of a logged request counts here; bookkeeping lines do not."],
]
