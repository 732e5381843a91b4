/** Reading back what a compaction took out of sight. */
export { argumentsText, callTitle, type Passage, passagesOf, textOfResult, wholeText } from "./item-text.ts"
export { recall, type Recalled, type RecallOptions } from "./recall.ts"
export { readRecallRequest, type RecallRequest } from "./recall-request.ts"
export { recallTool, recallToolName, type ToolDefinition } from "./recall-tool.ts"
export { parseHandle, type Reference, writeHandle } from "./reference.ts"
