/** Reading back what a compaction took out of sight. */
export { argumentsText, callTitle, type Passage, passagesOf, textOfResult, wholeText } from "./item-text.ts"
export { recall, type Recalled, type RecallOptions, type RecallRequest } from "./recall.ts"
export { readRecallRequest, recallTool, recallToolName, type ToolDefinition } from "./recall-tool.ts"
export { parseHandle, type Reference, writeHandle } from "./reference.ts"
