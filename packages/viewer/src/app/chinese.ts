/** Of the Chinese catalogue what the page has: findings and its own words, not the help of commands. */
import { findings } from "../../../ligature/src/language/zh-cn/findings.ts"
import { fixedFindings } from "../../../ligature/src/language/zh-cn/fixed-findings.ts"
import { output } from "../../../ligature/src/language/zh-cn/output.ts"
import { requirements } from "../../../ligature/src/language/zh-cn/requirements.ts"
import { sessionDamage } from "../../../ligature/src/language/zh-cn/session-damage.ts"
import { sessions } from "../../../ligature/src/language/zh-cn/sessions.ts"
import { viewer } from "../../../ligature/src/language/zh-cn/viewer.ts"

export const catalogue = { ...findings, ...fixedFindings, ...output, ...requirements, ...sessionDamage, ...sessions, ...viewer }
