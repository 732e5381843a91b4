/**
 * Parameters of an Anthropic request that decide whether a history can be sent at all: how thinking is switched on, and
 * whether a tool may be forced. Most depend on the model, so a request that names none passes.
 */
import { type WireObject, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { acceptsAdaptiveThinking, alwaysThinks, rejectsForcedTools, wantsAdaptiveThinking } from "./models.ts"

export function parametersViolation(body: WireObject, model: string | undefined): Violation | undefined {
  return thinkingViolation(body, model) ?? toolChoiceViolation(body["tool_choice"], model)
}

function thinkingViolation(body: WireObject, model: string | undefined): Violation | undefined {
  const thinking = body["thinking"]
  if (!isObject(thinking)) return undefined
  switch (thinking["type"]) {
    case "enabled": {
      if (wantsAdaptiveThinking(model)) {
        return {
          rule: "anthropic-thinking-type-enabled",
          message: "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and "
            + "\"output_config.effort\" to control thinking behavior.",
        }
      }
      const budget = thinking["budget_tokens"]
      const limit = body["max_tokens"]
      if (typeof budget !== "number" || typeof limit !== "number" || limit > budget) return undefined
      return {
        rule: "anthropic-thinking-budget",
        message: "`max_tokens` must be greater than `thinking.budget_tokens`",
      }
    }
    case "adaptive":
      return acceptsAdaptiveThinking(model) ? undefined : {
        rule: "anthropic-thinking-type-adaptive",
        message: "adaptive thinking is not supported on this model",
      }
    case "disabled":
      return alwaysThinks(model) ? {
        rule: "anthropic-thinking-type-disabled",
        message: "\"thinking.type.disabled\" is not supported for this model.",
      } : undefined
    default:
      return undefined
  }
}

function toolChoiceViolation(choice: unknown, model: string | undefined): Violation | undefined {
  const type = isObject(choice) ? choice["type"] : undefined
  if ((type !== "tool" && type !== "any") || !rejectsForcedTools(model)) return undefined
  return {
    rule: "anthropic-forced-tool-choice",
    message: "tool_choice: type \"tool\" and \"any\" are not supported for this model.",
  }
}
