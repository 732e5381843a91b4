/** The rules of the invariants, in the order settle applies them: contents first, then calls, then pairs. */
import type { Rule } from "../rule.ts"
import { duplicateCall } from "./duplicate-call.ts"
import { duplicateCallId } from "./duplicate-call-id.ts"
import { duplicateResult } from "./duplicate-result.ts"
import { emptyMessage } from "./empty-message.ts"
import { emptyText } from "./empty-text.ts"
import { invalidArguments } from "./invalid-arguments.ts"
import { loneSurrogate } from "./lone-surrogate.ts"
import { misplacedBlock } from "./misplaced-block.ts"
import { misplacedResult } from "./misplaced-result.ts"
import { missingCallId } from "./missing-call-id.ts"
import { missingToolName } from "./missing-tool-name.ts"
import { mixedCallStyle } from "./mixed-call-style.ts"
import { orphanResult } from "./orphan-result.ts"
import { resultOrder } from "./result-order.ts"
import { splitSpan } from "./split-span.ts"
import { stalePending } from "./stale-pending.ts"
import { unansweredCall } from "./unanswered-call.ts"
import { unsignedThinking } from "./unsigned-thinking.ts"

export const rules: readonly Rule[] = [
  loneSurrogate,
  emptyText,
  emptyMessage,
  unsignedThinking,
  splitSpan,
  misplacedBlock,
  invalidArguments,
  missingToolName,
  mixedCallStyle,
  duplicateCall,
  duplicateCallId,
  missingCallId,
  misplacedResult,
  resultOrder,
  duplicateResult,
  orphanResult,
  stalePending,
  unansweredCall,
]
