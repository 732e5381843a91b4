/** Chinese for what a provider would reject or have changed, and for the invariants. */
import type { Catalogue } from "../../model/index.ts"

export const requirements: Catalogue = {
  "takes no {1} in {2}; {3} would be left out": "不接受 {2} 中的 {1}；{3} 将被省略",
  "requires `{1}` in {2}; {3} would be added": "要求 {2} 中有 `{1}`；将添加 {3}",
  "would reject {1}: {2} would be sent as {3}": "会拒绝 {1}：{2} 将以 {3} 发送",
  "would reject {1} in {2}; it would be sent as `{3}`": "会拒绝 {2} 中的 {1}；它将作为 `{3}` 发送",
  "would reject {1}: {2} ({3}) would be sent as {4}": "会拒绝 {1}：{2}（{3}）将以 {4} 发送",
  "wrote {1} in place of {2} from {3} on": "从 {3} 起写入 {1} 条，代替 {2} 条",
  "{1} takes tool calls only in a request that declares its tools; {2} would be declared as stubs":
    "{1} 只接受声明了工具的请求中的工具调用；{2} 将以占位声明",
  "The same happened {1} more times": "同样的情况又发生了 {1} 次",
  "takes no {1} in a message; it would be left out": "不接受消息中的 {1}；它将被省略",
  "requires `{1}` in this message; {2} would be sent": "要求此消息中有 `{1}`；将发送 {2}",
  "would reject {1} here; {2} would be sent": "会拒绝此处的 {1}；将发送 {2}",
  "wrote {1} as content": "将 {1} 写为 content",
  "takes `content` as one text, not as a list of {1} parts; {2} would be sent":
    "`content` 须为一段文本，而不是 {1} 个部分的列表；将发送 {2}",
  "takes the `arguments` of a tool call as an object, not as JSON text; {1} would be sent as {2}":
    "工具调用的 `arguments` 须为对象，而不是 JSON 文本；{1} 将以 {2} 发送",
  'carried the text as {"{1}": …}': '以 {"{1}": …} 形式保留该文本',
  unparsable: "无法解析",
  call: "调用",
  "{1} takes one tool call per message; {2} share one and would be sent one after the other":
    "{1} 每条消息只接受一个工具调用；{2} 个调用在同一条消息中，将逐个发送",
  "{1} takes no text next to tool calls; {2} would be sent in a message before ": "{1} 不接受工具调用旁的文本；{2} 将在其之前的消息中发送",
  "{1} takes no user message directly after tool results; an assistant message {2} would be added before {3}":
    "{1} 不接受紧接在工具结果之后的用户消息；将在 {3} 之前添加助手消息 {2}",
  "{1} requires user and assistant messages to alternate": "{1} 要求用户消息与助手消息交替出现",
  "{1}; this user message ({2}) would be joined with the one before it": "{1}；此用户消息（{2}）将与前一条合并",
  "{1}; this user message ({2}) would be joined with the results before it": "{1}；此用户消息（{2}）将与其前的结果合并",
  "{1} takes no text next to tool calls; a user message {2} would be added before ":
    "{1} 不接受工具调用旁的文本；将在其之前添加用户消息 {2}",
  "{1}; this assistant message ({2}) would be joined with the one before it": "{1}；此助手消息（{2}）将与前一条合并",
  "{1} takes one system message; the {2} at the beginning would be joined": "{1} 只接受一条系统消息；开头的 {2} 条将合并",
  "requires the first message to be the user's; it is the assistant's ({1})": "要求第一条消息来自用户；实际来自助手（{1}）",
  "{1} {2}, and {3} would be added": "{1} {2}，将添加 {3}",
  "{1} requires the last message to be the user's or a tool result; it is the assistant's ({2}), and {3} would be added":
    "{1} 要求最后一条消息来自用户或为工具结果；实际来自助手（{2}），将添加 {3}",
  "{1} takes no white space at the end of the final assistant text; {2} would be trimmed":
    "{1} 不接受最后一段助手文本末尾的空白；{2} 将被去除",
  "{1} takes system messages only at the beginning; this one ({2}) would be sent as user text":
    "{1} 只在开头接受系统消息；此消息（{2}）将作为用户文本发送",
  "{1} takes tool call ids of {2}; {3} would become {4}": "{1} 的工具调用 id 须为 {2}；{3} 将改为 {4}",
  "{1} takes tool names of {2}; {3} would become {4}": "{1} 的工具名称须为 {2}；{3} 将改为 {4}",
  "{1} would be sent as text": "{1} 将作为文本发送",
  "{1} would be left out": "{1} 将被省略",
  "{1} takes no {2} block without {3}": "{1} 不接受没有 {3} 的 {2} 块",
  "{1} has no {2} block": "{1} 没有 {2} 块",
  "{1}; this one would be left out": "{1}；此块将被省略",
  "left out a {1} block {2}": "省略了一个 {1} 块 {2}",
  "{1}; {2} would be sent as text": "{1}；{2} 将作为文本发送",
  "converted a {1} block {2} to text": "将一个 {1} 块 {2} 转换为文本",
  "{1} takes no {2} in assistant messages; it would be sent as the text {3}": "{1} 不接受助手消息中的 {2}；它将作为文本 {3} 发送",
  "described {1} made by the assistant as text": "将助手生成的 {1} 描述为文本",
  "{1} requires text next to a document; {2} would be added": "{1} 要求文档旁有文本；将添加 {2}",
  "{1} takes no {2} in system messages; it would be sent as the text {3}": "{1} 不接受系统消息中的 {2}；它将作为文本 {3} 发送",
  "described {1} in a system message as text": "将系统消息中的 {1} 描述为文本",
  "{1} takes no {2} in {3} of {4} ({5}); it would be sent in a user message after it":
    "{1} 不接受 {4}（{5}）的 {3} 中的 {2}；它将在其后的用户消息中发送",
  "moved {1} of a result into a user message after it": "将结果中的 {1} 移到其后的用户消息中",
  "{1} requires content in every result; that of {2} ({3}) is empty, {4} would be sent":
    "{1} 要求每个结果都有内容；{2}（{3}）的结果为空，将发送 {4}",
  "{1} takes signed thinking only after an unchanged history; {2} comes after a change and would be left out":
    "{1} 只接受未改动历史之后的带签名思考；{2} 位于改动之后，将被省略",
  "{1} does not accept the call id {2}": "{1} 不接受调用 id {2}",
  "{1} does not accept the tool name {2}": "{1} 不接受工具名称 {2}",
  "Every call has exactly one outcome.": "每个调用恰有一个结局。",
  "Every result answers a call of the same exchange.": "每个结果都回答同一交换中的某个调用。",
  "Nothing comes between a call and its results.": "调用与其结果之间没有任何内容。",
  "Results are in call order.": "结果按调用的顺序排列。",
  "Ids are unique in the conversation; results are matched to calls by occurrence.": "id 在对话中唯一；结果按出现位置与调用匹配。",
  "Only the last exchange may be pending.": "只有最后一个交换可以处于待定状态。",
  "Arguments are a JSON object; text that is not stays beside them, and such a call is never executed.":
    "参数是 JSON 对象；不是对象的文本保留在旁，且这样的调用永不执行。",
  "No empty message, no blank text block, no lone surrogate.": "没有空消息，没有空白文本块，没有不成对的代理字符。",
  "No cut, hide or summary splits an exchange, a thinking run or an opaque span.":
    "任何截断、隐藏或摘要都不会拆开一个交换、一段连续思考或一个不透明跨度。",
  "Opaque provider data is replayed verbatim to its origin or removed whole, never edited.":
    "不透明的提供商数据要么原样回放给其来源，要么整体移除，绝不编辑。",
}
