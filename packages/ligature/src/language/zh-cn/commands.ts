/** Chinese for what the commands of the command line declare and print. */
import type { Catalogue } from "../../model/index.ts"

export const commands: Catalogue = {
  // Shared
  "{1} errors": "{1} 个错误",
  "{1} warnings": "{1} 个警告",
  "{1} notes": "{1} 条提示",
  "{1} findings": "{1} 个问题",
  "{1} more findings": "另有 {1} 个问题",
  "{1} messages": "{1} 条消息",
  "{1}, {2}": "{1}、{2}",
  "{1}, {2}, {3}": "{1}，{2}，{3}",
  "{1}: {2} ({3})": "{1}：{2}（{3}）",
  "{1}; {2}": "{1}；{2}",
  "line {1}": "第 {1} 行",
  "for scripts": "用于脚本",
  "format of the request, or the name of a profile": "请求的格式，或 profile 名称",

  // check
  "report what is wrong with a history, and where": "报告历史中有什么问题、在哪里",
  [`Validates each conversation against the invariants that hold for every provider (every tool call has exactly one
result, nothing comes between a tool call and its results, …) and, with --for, against the requirements of one provider.
Each finding shows its place, the messages around it, and what repair would do. Nothing is changed.

A tool call without a result at the end of a history is a finding too; with --open-tip it counts as still running.

Exit code 0: no damage. 1: findings. 2: a file could not be read.`]: `用对所有提供商都成立的不变量（每个工具调用恰好有一个结果，工具调用与其结果之间没有其他内容，……）校验每个对话；给出 --for 时，还会按某个提供商的要求校验。每个问题都会显示位置、前后的消息，以及 repair 会如何处理。不做任何修改。

历史末尾没有结果的工具调用也算问题；给出 --open-tip 时视为仍在运行。

退出码 0：没有损坏。1：发现问题。2：有文件无法读取。`,
  "show every finding in full, not only the first 20": "完整显示所有问题，而不只是前 20 个",
  "one request": "一个请求",
  "would Anthropic accept these?": "Anthropic 会接受这些吗？",
  "from a pipe": "来自管道",
  "{1} not shown in full; --all shows every one": "{1}未完整显示；--all 显示全部",
  "Nothing checked": "未检查任何内容",
  "{1}: {2} in {3}": "{1}：{3}中有 {2}",
  "{1}: no damage in the readable part; see the warnings above": "{1}：可读部分没有损坏；请看上面的警告",
  "{1}: no damage found": "{1}：未发现损坏",
  "{1} could not be read": "{1}无法读取",
  "{1} would reject {2} although no invariant is violated: {3} shows why, {4} fixes it.": "{1} 会拒绝 {2}，尽管没有违反不变量：{3} 说明原因，{4} 可修复。",
  "ligature rules RULE explains a rule; {1} repairs all of this.": "ligature rules RULE 说明一条规则；{1} 修复以上全部问题。",

  // classify
  "explain a provider's error, and find the place it is about": "解释提供商的报错，并找到出错的位置",
  [`Reads the text of an error from stdin, a file or the command line: a provider's JSON body, a log line, a
stack trace. Prints the requirement that was violated, what to do about it, and the place and ids in the error. With
--history, finds them in the rejected request.

Exit code 0: recognised. 1: not an error about the conversation (a rate limit, an outage), or an unknown one.`]: `从 stdin、文件或命令行读取报错文本：提供商返回的 JSON、一行日志或调用栈。输出被违反的要求、处理办法，以及报错中的位置和 id。给出 --history 时，在被拒绝的请求中找到它们。

退出码 0：已识别。1：报错与对话无关（限流、服务中断），或者未知。`,
  "the rejected request": "被拒绝的请求",
  "from the clipboard": "来自剪贴板",
  "with the exact place": "给出确切位置",
  "Send only fields that the provider supports: convert writes such a request.": "只发送提供商支持的字段：convert 会写出这样的请求。",
  "Change parameters of the request; the conversation is valid.": "修改请求参数；对话本身有效。",
  "Correct the arguments of a tool call: repair does this and keeps the raw text.": "修正工具调用的参数：repair 会处理，并保留原始文本。",
  "Fill or remove empty content: repair does this.": "补全或删除空内容：repair 会处理。",
  "Replace the media with a note, or correct its type: repair and convert do this.": "将媒体替换为说明文字，或更正其类型：repair 和 convert 会处理。",
  "Put the roles in the order that the provider requires: convert does this.": "按提供商要求的顺序排列角色：convert 会处理。",
  "State on the server no longer matches: send the history without referring to it.": "服务器端的状态不再匹配：发送历史时不要引用它。",
  "Give tool calls and their results new ids: repair and convert do this.": "为工具调用及其结果分配新的 id：repair 和 convert 会处理。",
  "Set the cache markers again.": "重新设置缓存标记。",
  "Give the tool a name that the provider accepts, or remove it.": "将工具改为提供商接受的名称，或删除该工具。",
  "Pair tool calls with their results again: repair does this.": "让工具调用与其结果重新配对：repair 会处理。",
  "Send the reasoning items too, or omit the item ids: convert does this.": "一并发送推理条目，或省略条目 id：convert 会处理。",
  "Restore the signature, or write the sentinel for a missing one: convert does this.": "恢复签名，或为缺失的签名写入占位值：convert 会处理。",
  "Keep both halves of a server-side tool call, or remove both: repair does this.": "服务端工具调用的两半要么都保留，要么都删除：repair 会处理。",
  "Shorten the text: compact does this.": "缩短文本：compact 会处理。",
  "Remove thinking that the provider cannot verify, or restore it completely: convert does this.": "删除提供商无法验证的思考内容，或完整恢复：convert 会处理。",
  "named by index": "按索引指明",
  "has this id": "具有该 id",
  "violates the rule": "违反规则",
  "most likely": "最有可能",
  "classify takes one FILE": "classify 只接受一个 FILE",
  "Give the history with --history.": "请用 --history 给出历史。",
  "Paste the provider's error and end with Ctrl-D (or give a FILE instead).": "请粘贴提供商的报错，并以 Ctrl-D 结束（也可以给出 FILE）。",
  "Give a FILE that contains the error, or its text in quotes, or pipe it in.": "请给出包含报错的 FILE，或用引号给出其文本，或通过管道传入。",
  "No error text to classify": "没有可分类的报错文本",
  "Pipe it in, or give a FILE that contains it.": "请通过管道传入，或给出包含它的 FILE。",
  "stdin cannot be both the error and the history": "stdin 不能既是报错又是历史",
  "Give one of them as a file.": "请将其中之一作为文件给出。",
  "error": "报错",
  "action": "处理",
  "place": "位置",
  "ids": "id",
  "or": "或",
  "{1} (as the provider counts)": "{1}（按提供商的计数）",
  "--history FILE finds the place in the rejected request.": "--history FILE 可在被拒绝的请求中找到该位置。",
  "In the history": "在历史中",
  "… and {1}": "…… {1}",
  "{1} more places": "另有 {1} 处",
  "The history contains nothing that this error is about: it may belong to another request.": "历史中没有与此报错相关的内容：它可能属于另一个请求。",
  "Unknown error.": "未知报错。",
  "It may not be about the conversation, but a rate limit, an overload, credentials or the error page of a proxy.": "它可能与对话无关，而是限流、过载、凭据问题，或代理服务器的错误页。",
  "ligature check FILE --for PROFILE validates the request itself.": "ligature check FILE --for PROFILE 可校验请求本身。",

  // compact
  "fit a history into a token budget, as a request; elided content can be recalled": "把历史压缩到 token 预算之内，写成请求；省略的内容可以取回",
  [`Makes a view of a history that fits into a budget, and writes it as a request. Exchanges are kept, shortened or
elided as a whole: no tool call loses its result. The first and the latest user request stay verbatim if they fit,
otherwise they are excerpted; pending work stays. Elided content has a handle (#12, #12.2), with which ligature recall
reads it from the original file, which is never changed.

The budget is a number of tokens (32000, 32k), a percentage of the conversation (10%), or, for requests that a provider
rejected as too large, a size (20MB, 500kB); the request is then written without indentation, so that the file itself fits.
Tokens are estimates, slightly too high; percentages are rounded down to absorb estimation error. Tool definitions count
against a number of tokens or bytes, but not against a percentage.

Strategies: digest (default) keeps the lines that will probably be needed, and the end verbatim. generations is a digest in
chunks that stay the same when the history grows, for prompt caches. window keeps both ends. mask replaces old results with
stubs. cap shortens large results. dedupe drops what was read twice. truncate drops the older half. Chain with +; they run
left to right: dedupe+mask+window. --goal affects digest and generations, which choose lines; the others decide by position
and size.

A request is written in the format of the input. A session file also gives a request, in the format of its agent's
provider; --to chooses another format. --explain shows the decision about each item with its reason, and the budget as a
bar; it writes nothing unless -o is given. Exit code 1: no view fits.

A file with several conversations gives one request for each: on stdout one per line, in the order of the file; with
--out-dir one file each, named after the number of the conversation. A conversation for which no view fits is skipped.

Give the original file. A compacted view can be compacted again, with a warning, but the new handles refer to the view,
while the handles in it refer to the original history.`]: `生成符合预算的历史视图，并写成请求。每次交互作为整体保留、缩短或省略：工具调用不会失去其结果。用户的第一个和最新的请求放得下就原样保留，否则摘录；未完成的工作会保留。省略的内容有句柄（#12、#12.2），ligature recall 凭句柄从原文件读取它；原文件不会改动。

预算可以是 token 数（32000、32k）、对话的百分比（10%），也可以是大小（20MB、500kB），用于因过大而被提供商拒绝的请求；此时请求不带缩进写出，使文件本身也符合预算。token 数是略微偏高的估计值；百分比向下取整，以吸收估计误差。工具定义计入 token 数或字节数的预算，但不计入百分比。

策略：digest（默认）保留可能用到的行，并原样保留末尾。generations 是分段的 digest，历史增长时已有分段不变，适合提示词缓存。window 保留两端。mask 将旧结果替换为占位。cap 缩短大的结果。dedupe 删除重复读取的内容。truncate 删除较早的一半。用 + 串联，从左到右执行：dedupe+mask+window。--goal 影响 digest 和 generations，它们会挑选行；其他策略按位置和大小决定。

请求以输入的格式写出。会话文件也会写成请求，采用其智能体所用提供商的格式；--to 可选择另一种格式。--explain 显示对每个条目的决定及原因，并用条形图显示预算；除非给出 -o，否则不写入任何内容。退出码 1：没有放得下的视图。

含有多个对话的文件，每个对话写出一个请求：stdout 上每行一个，按文件中的顺序；使用 --out-dir 时每个对话一个文件，以对话的序号命名。没有放得下的视图时，跳过该对话。

请给出原文件。压缩后的视图可以再次压缩，但会有警告：新句柄指向该视图，而视图中的句柄指向原来的历史。`,
  "tokens (32000, 32k), percentage of the conversation (10%) or bytes (20MB, 500kB)": "token 数（32000、32k）、对话的百分比（10%）或字节数（20MB、500kB）",
  "digest, generations, window, mask, cap, dedupe, truncate; chain with +, they run left to right": "digest、generations、window、mask、cap、dedupe、truncate；用 + 串联，从左到右执行",
  "keep the first N messages (window) or items (others)": "保留前 N 条消息（window）或前 N 个条目（其他策略）",
  "keep the last N messages (window), results (mask) or items (others)": "保留最后 N 条消息（window）、结果（mask）或条目（其他策略）",
  "what the agent will do next: related text is kept first (digest, generations)": "智能体接下来要做什么：优先保留相关文本（digest、generations）",
  "show the decision about each item with its reason, and how the budget is used": "显示对每个条目的决定及原因，以及预算的使用情况",
  "write the numbers and the decision about each item to this file, as JSON": "将统计数字和对每个条目的决定以 JSON 写入此文件",
  "a request of at most 32,000 tokens": "最多 32,000 个 token 的请求",
  "what would be kept of a session": "会话中哪些内容会保留",
  "for another provider, with a goal": "用于另一个提供商，并给出目标",
  "without choosing lines": "不挑选行",
}
