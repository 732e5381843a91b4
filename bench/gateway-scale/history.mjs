/** What an agent says: a prompt, and with each turn a call and what the tool gave. The same number gives the same words. */

const words = "The build ends with an error in the third step, where the linker looks for a library that nobody installed. "

const callOf = (sample, turn) => {
  const id = `call_${sample}_${turn}`
  return [
    {
      role: "assistant",
      content: `Step ${turn} of ${sample}.`,
      tool_calls: [
        { id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: `make step-${turn} NUMBER=${sample}` }) } },
      ],
    },
    { role: "tool", tool_call_id: id, content: `step ${turn} of ${sample}\n${words.repeat(8)}` },
  ]
}

const turnsOf = (sample, turns) => Array.from({ length: turns }, (_, turn) => callOf(sample, turn)).flat()

/** A request after so many turns. The answers are those of the provider in process.mjs. */
export const bodyOf = (sample, turns) =>
  Buffer.from(
    JSON.stringify({
      model: "m-1",
      messages: [
        { role: "system", content: `You are an agent. ${words.repeat(4)}` },
        { role: "user", content: `Sample ${sample}: why does the build fail?` },
        ...turnsOf(sample, turns),
      ],
      tools: [
        { type: "function", function: { name: "bash", parameters: { type: "object", properties: { command: { type: "string" } } } } },
      ],
    }),
  )
