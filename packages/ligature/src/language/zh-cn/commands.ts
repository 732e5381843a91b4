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

  // convert
  "convert a history to a request for another provider": "将历史转换为另一个提供商的请求",
  [`Reads any format, repairs any damage, and writes a request body in the target format: {"system", "messages"},
{"messages"}, {"input"}, {"contents", "systemInstruction"}, … A source in the same format keeps its other fields (model,
tools). Content that the target format cannot represent is carried by convention where one exists, and reported: --report
writes everything as JSON.

One conversation goes to stdout as one JSON text; several as one per line. With --out-dir each output has the base
name of its input and the extension .json; an input with several conversations gives NAME.0001.json, NAME.0002.json,
… An unreadable file does not stop the others.

By default a tool call without a result at the end gets a placeholder result. --open-tip leaves it open.

Policies (the first value is the default):

  unansweredCall         synthesize | drop-message | drop-call
  orphanResult           reattach | demote | drop
  duplicateResult        keep-best | keep-first | keep-last
  foreignThinking        drop | text
  textBesideDroppedCall  keep | drop`]: `读取任何格式，修复损坏，并按目标格式写出请求体：{"system", "messages"}、{"messages"}、{"input"}、{"contents", "systemInstruction"}…… 来源与目标格式相同时，保留其他字段（model、tools）。目标格式无法表示的内容，有约定的按约定携带，并报告：--report 将全部内容写为 JSON。

单个对话以一段 JSON 输出到 stdout；多个对话每行一个。使用 --out-dir 时，每个输出沿用输入的主文件名，扩展名为 .json；含有多个对话的输入写为 NAME.0001.json、NAME.0002.json…… 某个文件无法读取时，不影响其他文件。

默认情况下，末尾没有结果的工具调用会得到占位结果。--open-tip 让它保持开放。

修复策略（第一个值为默认值）：

Exit code 0: no damage. 1: findings. 2: a file could not be read.`,
  "format to write, or the name of a profile": "要写出的格式，或 profile 名称",
  "target provider (default: the one the format is named after)": "目标提供商（默认：与格式同名的提供商）",
  "write all tool calls as blocks (json) or as text in tags (xml)": "将所有工具调用写成块（json）或标签形式的文本（xml）",
  "an Anthropic request for Chat Completions, to stdout": "将 Anthropic 请求转换为 Chat Completions，输出到 stdout",
  "many files, with a report": "多个文件，并写出报告",
  "tool calls in XML text become blocks": "XML 文本形式的工具调用变为块",
  "one output per request of a log": "日志中的每个请求对应一个输出",
  "Only one session can be written to stdout": "stdout 只能写入一个会话",
  "Use --out-dir DIR: one file for each.": "请使用 --out-dir DIR：每个一个文件。",

  // diff
  "show what a repair or conversion changed": "显示修复或转换改动了什么",
  [`Compares the content of two histories, exchange by exchange, in any formats: shows what is gone (-) and what is
new (+), together with the rest of the exchange. Ids do not count: a repair may rename them.

Exit code 0: same content. 1: different content. 2: a file could not be read.`]: `逐次交互比较两份历史的内容，不论其格式：显示消失的内容（-）和新增的内容（+），以及该次交互的其余部分。id 不参与比较：修复可能会改名。

退出码 0：内容相同。1：内容不同。2：有文件无法读取。`,
  "what the repair did": "修复做了什么",
  "what differs in the file for another agent": "给另一个智能体的文件有何不同",
  "{1} exchanges": "{1} 次交互",
  "… {1} unchanged": "…… {1}未改动",
  "exchange {1}": "第 {1} 次交互",
  "exchange {1} · line {2}": "第 {1} 次交互 · 第 {2} 行",
  "{1} has {2}, but {3} has {4}": "{1} 有 {2}，而 {3} 有 {4} 个",
  "Compare files with the same conversations.": "请比较包含相同对话的文件。",
  "diff takes two files": "diff 需要两个文件",
  "same content": "内容相同",
  "{1} blocks": "{1} 个块",
  "{1} gone, {2} new": "消失 {1}，新增 {2} 个",

  // formats
  "list the formats that can be read and written": "列出可读取和写入的格式",
  [`Requests and message lists can be read and written in every format. Sessions can be read; "write" means that the
sessions of other agents can be converted to this format, "repair" that only its own sessions can be written. The format of
a file is detected from its content; --from and --to take these names.`]: `所有格式的请求和消息列表都可以读取和写入。会话可以读取；“写入”表示其他智能体的会话可以转换为此格式，“修复”表示只能写入它自己的会话。文件的格式根据内容识别；--from 和 --to 使用这些名称。`,
  "the list": "列表",
  "read, write": "读取、写入",
  "read, repair": "读取、修复",
  "read": "读取",
  "Requests and message lists: read and write": "请求和消息列表：可读取和写入",
  "Sessions of agents": "智能体的会话",
  "format": "格式",
  "title": "名称",
  "messages": "消息",
  "profiles": "profile",
  "aliases": "别名",

  // profiles
  "list provider profiles and their requirements": "列出提供商 profile 及其要求",
  [`A profile lists what one provider, or one family of its models, requires in addition to the invariants. check --for
validates against it; convert --for writes requests that meet it. With a name, explains that profile.`]: `profile 列出某个提供商或其某一系列模型在不变量之外的要求。check --for 据此校验；convert --for 写出符合要求的请求。给出名称时，说明该 profile。`,
  "what Mistral requires": "Mistral 有哪些要求",
  "profile": "profile",
  "provider": "提供商",
  "requirements": "要求",
  "ligature profiles NAME lists the requirements of one profile.": "ligature profiles NAME 列出某个 profile 的要求。",
  "{1}, in format {2}": "{1}，格式 {2}",
  "Tool call ids have at most {1} characters and match {2}.": "工具调用 id 最多 {1} 个字符，并匹配 {2}。",
  "Tool call ids have exactly {1} characters and match {2}.": "工具调用 id 恰好 {1} 个字符，并匹配 {2}。",
  "Tool names have at most {1} characters and match {2}.": "工具名称最多 {1} 个字符，并匹配 {2}。",
  "The first message after the system prompt is from the user.": "系统提示之后的第一条消息来自用户。",
  "The last message is from the user or has results.": "最后一条消息来自用户，或包含结果。",
  "User and assistant messages alternate strictly.": "用户消息与助手消息严格交替。",
  "System text is only allowed at the beginning.": "系统文本只能位于开头。",
  "System text in the middle comes after a user message; only newer models accept it.": "中间的系统文本位于用户消息之后；只有较新的模型接受。",
  "Text is not empty or blank.": "文本不为空，也不全是空白。",
  "Images come after results, not inside them.": "图片位于结果之后，而不在结果之内。",
  "Images come after failed results, not inside them.": "图片位于失败的结果之后，而不在其内。",
  "Media from the assistant is described in text.": "助手的媒体用文字描述。",
  "Results are not empty.": "结果不为空。",
  "User text does not come directly after results.": "用户文本不直接跟在结果之后。",
  "Text and tool calls are in separate messages.": "文本和工具调用位于不同的消息中。",
  "A message has at most one tool call.": "一条消息最多有一个工具调用。",
  "Thinking is never sent back.": "思考内容从不回传。",
  "Thinking is sent back only with its signature, and only to the provider it came from.": "思考内容只连同签名回传，并且只回传给产生它的提供商。",
  "Signed thinking becomes invalid when anything before it is edited.": "带签名的思考内容，在其之前的任何内容被修改后即失效。",
  "Unknown fields are rejected.": "未知字段会被拒绝。",
  "The final assistant text does not end in white space.": "助手的最后一段文本不以空白结尾。",
  "{1} or {2}": "{1} 或 {2}",
  "Images are not sent: they are described in text.": "不发送图片：用文字描述。",
  "Images are {1}, and declared as what they are.": "图片为 {1}，且声明的类型与实际一致。",
  "Images are sent as data, not by their address.": "图片以数据发送，而不是以地址发送。",
  "Images have at most {1} bytes of base64 text.": "图片的 base64 文本最多 {1} 字节。",
  "Images have at most {1} bytes.": "图片最多 {1} 字节。",
  "A request has at most {1} images.": "一个请求最多有 {1} 张图片。",
  "Images have at most {1} pixels per side.": "图片每边最多 {1} 像素。",
  "In requests with more than {1} images, they have at most {2} pixels per side.": "图片超过 {1} 张的请求中，每边最多 {2} 像素。",
  "Images have at most {1} pixels.": "图片最多 {1} 像素。",
  "Documents are not sent: they are described in text.": "不发送文档：用文字描述。",
  "Documents are {1}, and declared as what they are.": "文档为 {1}，且声明的类型与实际一致。",
  "Documents are sent as data, not by their address.": "文档以数据发送，而不是以地址发送。",
  "Documents have at most {1} bytes of base64 text.": "文档的 base64 文本最多 {1} 字节。",
  "Documents have at most {1} bytes.": "文档最多 {1} 字节。",
  "A request has at most {1} documents.": "一个请求最多有 {1} 个文档。",
  "PDFs have at most {1} pages.": "PDF 最多 {1} 页。",
  "PDFs are not encrypted.": "PDF 未加密。",
  "A request has at most {1} images and pages of PDFs together.": "一个请求中，图片与 PDF 页数合计最多 {1}。",
  "A request has at most {1} bytes.": "一个请求最多 {1} 字节。",

  // recall
  "read content that a compaction elided, by handle or by search": "按句柄或搜索读取压缩时省略的内容",
  [`A compacted view refers to elided content by handles: #12 is the twelfth item of the history, #12.2 the result of
its second tool call, #12.2:5-9 lines 5 to 9 of that result, #3-#7 the items from the third to the seventh, one at a time.
Give the original file and a handle. The # may be omitted, because most shells treat it as the beginning of a comment.

--search TEXT searches all content (messages, arguments, results) and prints one line per match, with the handle that shows
it. With a handle the search starts there. Exit code 1: nothing was found.

For conversations in a store use: ligature log recall ID HANDLE.

Images and files are only listed; --json contains those of a whole item or result under media, five at most.`]: `压缩后的视图用句柄引用省略的内容：#12 是历史的第 12 个条目，#12.2 是其第二个工具调用的结果，#12.2:5-9 是该结果的第 5 至 9 行，#3-#7 是第 3 至第 7 个条目，每次一个。请给出原文件和句柄。# 可以省略，因为多数 shell 会把它当作注释的开头。

--search TEXT 搜索全部内容（消息、参数、结果），每个匹配输出一行，并给出可显示它的句柄。同时给出句柄时，从该处开始搜索。退出码 1：未找到。

存储中的对话请使用：ligature log recall ID HANDLE。

图片和文件只列出名称；--json 在 media 下包含整个条目或结果的图片和文件，最多五个。`,
  "in a file with several conversations, read the Nth (default 1)": "文件含有多个对话时，读取第 N 个（默认 1）",
  "the result of the second tool call of the twelfth item": "第 12 个条目的第二个工具调用的结果",
  "some lines of it": "其中的若干行",
  "every line that contains this text": "包含此文本的每一行",
  "The file has no conversation.": "文件中没有对话。",
  "The file has {1}, so there is no conversation {2}.": "文件中有 {1}，不存在第 {2} 个对话。",
  "{1} has {2}; this is the first. --conversation N reads another.": "{1} 有 {2}；这是第一个。--conversation N 读取另一个。",

  // doctor
  "examine the sessions of all agents on this machine": "检查本机上所有智能体的会话",
  [`Finds the sessions of every known agent in its default folder, or under PATH, and checks all of them. Prints a
table by agent: the number of sessions, messages and tool calls, how many sessions are healthy, how many end in an
unanswered tool call (normal while the session is running), how many are damaged; then the damage by cause, and the worst
sessions with the command that repairs each. Nothing is changed.

--repair writes a repaired copy next to each damaged session (NAME.repaired.EXT) and never overwrites the session. With
--in-place the session itself is replaced, but only if no program has it open and it was not changed in the last minute;
the original is kept as FILE.bak.

Exit code 0: no damage. 1: damaged sessions. 2: a file could not be read.`]: `在默认文件夹或 PATH 下查找所有已知智能体的会话，并逐一检查。按智能体输出表格：会话数、消息数和工具调用数，有多少会话完好，有多少以没有结果的工具调用结尾（会话运行期间属正常），有多少已损坏；然后按原因列出损坏，并列出最严重的会话及其修复命令。不做任何修改。

--repair 在每个损坏的会话旁写一个修复后的副本（NAME.repaired.EXT），从不覆盖会话本身。加上 --in-place 则替换会话本身，但仅当没有程序打开它，且最近一分钟内没有改动；原文件保留为 FILE.bak。

退出码 0：没有损坏。1：有损坏的会话。2：有文件无法读取。`,
  "write a repaired copy next to each damaged session": "在每个损坏的会话旁写一个修复后的副本",
  "with --repair: replace the session; the original is kept as FILE.bak": "与 --repair 一起使用：替换会话；原文件保留为 FILE.bak",
  "all sessions in the default folders": "默认文件夹中的所有会话",
  "the sessions of one project": "某个项目的会话",
  "repaired copies next to the originals": "修复后的副本，放在原文件旁",
  "--in-place needs --repair": "--in-place 需要 --repair",
  "Give --repair --in-place, or omit --in-place.": "请使用 --repair --in-place，或去掉 --in-place。",
  "No such file, or no session in this folder.": "文件不存在，或此文件夹中没有会话。",
  "No sessions found.": "未找到会话。",
  "Searched the default folders of agents; give a PATH to search elsewhere.": "已搜索各智能体的默认文件夹；给出 PATH 可搜索其他位置。",
  "cannot read": "无法读取",
  "{1} more files": "另有 {1} 个文件",
  "… and {1} that cannot be read": "…… {1}无法读取",
  "{1} other files": "其他 {1} 个文件",
  "{1} without a session": "{1}不含会话",
  "total": "合计",
  "agent": "智能体",
  "sessions": "会话",
  "size": "大小",
  "healthy": "完好",
  "cause": "原因",
  "found": "次数",
  "{1} more damaged files": "另有 {1} 个损坏的文件",
  "… and {1}; --json lists all": "…… {1}；--json 列出全部",
  "ligature doctor --repair writes repaired copies next to the originals.": "ligature doctor --repair 在原文件旁写出修复后的副本。",

  // repair
  "make a damaged history valid, in its own format": "修复损坏的历史，使其有效，格式不变",
  [`Repairs every conversation of a file and writes the file again: undamaged content keeps its bytes, and everything
around the conversations (model, tools, other lines of a log) stays as it is. Results move next to their tool calls, an
unanswered tool call gets a placeholder result, a result without a tool call becomes text: nothing is lost without an entry
in the report.

Without -o, --out-dir or --in-place the repaired file goes to stdout. --in-place first saves the original as FILE.bak and
never replaces an existing .bak. With --for, the file also meets the requirements of this provider; in the session of an
agent, only images and documents do.

An image that its provider rejects makes every further request of a session fail, so repair replaces it with a note. The
original is in the input file (FILE.bak with --in-place) and in the report.

Policies (the first value is the default):

  unansweredCall         synthesize | drop-message | drop-call
  orphanResult           reattach | demote | drop
  duplicateResult        keep-best | keep-first | keep-last
  foreignThinking        drop | text
  textBesideDroppedCall  keep | drop`]: `修复文件中的每个对话，并重新写出文件：未损坏的内容逐字节保留，对话之外的一切（model、tools、日志的其他行）保持不变。结果移到其工具调用之后，没有结果的工具调用得到占位结果，没有工具调用的结果变为文本：任何丢失都会记入报告。

没有 -o、--out-dir 或 --in-place 时，修复后的文件输出到 stdout。--in-place 先将原文件保存为 FILE.bak，且从不替换已有的 .bak。给出 --for 时，文件还会符合该提供商的要求；对于智能体的会话，只处理图片和文档。

被提供商拒绝的图片会使会话之后的每个请求都失败，因此 repair 将其替换为说明文字。原图在输入文件（使用 --in-place 时为 FILE.bak）和报告中。

修复策略（第一个值为默认值）：

Exit code 0: no damage. 1: findings. 2: a file could not be read.`,
  "replace the file itself; the original is kept as FILE.bak": "替换文件本身；原文件保留为 FILE.bak",
  "one file": "一个文件",
  "many, with backups and a report": "多个文件，保留备份并写出报告",
  "remove messages with unanswered tool calls": "删除含有无结果工具调用的消息",
  "list each repair without writing a file": "列出每一处修复，不写文件",
  "repair writes one file to stdout, got {1}": "repair 只能将一个文件写入 stdout，却得到 {1} 个",
  "Use --out-dir DIR, or --in-place, which keeps a .bak of each.": "请使用 --out-dir DIR，或 --in-place，它会为每个文件保留 .bak 备份。",
  "{1} is {2}. Use -o OUT, or: ligature convert": "{1} 是{2}。请使用 -o OUT，或：ligature convert",
  "Profile {1} needs format {2}; this is {3}. Use: {4}": "profile {1} 需要 {2} 格式，而这是 {3}。请使用：{4}",
  "The replies in a log are not changed. ligature convert --out-dir writes each conversation completely.": "日志中的回复不会改动。ligature convert --out-dir 可完整写出每个对话。",
  "Please report this file.": "请反馈此文件。",
  "{1} ({2}). {3}": "{1}（{2}）。{3}",
  "still damaged: ": "仍有损坏：",
  "{1}: repaired; the original is {2}": "{1}：已修复；原文件为 {2}",

  // migrate
  "rewrite a history with tool calls in XML text in one consistent style": "将含有 XML 文本形式工具调用的历史改写为统一写法",
  [`For histories in which tool calls are XML tags in the assistant's text, or whose style changed midway: every tool
call becomes a block, and the answer to it a tool result. Files of Cline, Roo and Kilo, requests and plain lists of messages
in the style of Anthropic or OpenAI can be migrated; use --from if the format cannot be detected. The report has a certainty
for each call; doubtful calls are printed.

Tags inside a value become an object where agents nest them (<args>, <follow_up>), and repeated tags become a list. Numbers,
booleans and lists get the type in the schema of the tool if the request declares one; otherwise they stay text. Use --tool
NAME to find calls that have no answer and no declaration in the request.

In the files of agents nothing else is changed, and hidden (condensed) messages are migrated too. Migrated messages have the
mark "ligature": {"version": 2} with everything needed to convert them back: --to-style xml restores the same
text, byte for byte. Requests and lists cannot have a mark, since providers reject unknown fields: converting back gives the
same calls in the usual layout. Damage that prevents a migration is repaired and reported.

Without -o or --out-dir the file itself is migrated, and the original is kept as FILE.bak. A second run changes nothing.
--dry-run only reports.`]: `用于工具调用以 XML 标签写在助手文本中，或中途改变写法的历史：每个工具调用变为块，对它的回答变为工具结果。可以迁移 Cline、Roo 和 Kilo 的文件、请求，以及 Anthropic 或 OpenAI 风格的消息列表；格式无法识别时请使用 --from。报告中有每个调用的确定度；存疑的调用会输出。

值中的标签，在智能体会嵌套的地方（<args>、<follow_up>）变为对象，重复的标签变为列表。请求声明了工具的 schema 时，数字、布尔值和列表采用其中的类型；否则保留为文本。对于没有回答、请求中也没有声明的调用，用 --tool NAME 查找。

智能体的文件中其他内容不变，隐藏（已浓缩）的消息也会迁移。迁移后的消息带有标记 "ligature": {"version": 2}，其中包含转换回去所需的全部信息：--to-style xml 可逐字节还原相同的文本。请求和列表不能带标记，因为提供商拒绝未知字段：转换回去得到相同的调用，采用常用排版。妨碍迁移的损坏会被修复并报告。

没有 -o 或 --out-dir 时，迁移文件本身，原文件保留为 FILE.bak。再次运行不会有改动。--dry-run 只报告。`,
  "blocks (default) or xml": "blocks（默认）或 xml",
  "name of a tool whose calls to find; repeatable": "要查找其调用的工具名称；可重复使用",
  "report what would be done, and write nothing": "只报告会做什么，不写入任何内容",
  "what would be done": "会做什么",
  "in place, with a backup": "原地迁移，保留备份",
  "a list of messages with tool calls in text": "以文本写工具调用的消息列表",
  "convert back to XML text": "转换回 XML 文本",
  "--to-style is blocks or xml, not {1}": "--to-style 只能是 blocks 或 xml，不能是 {1}",
  "{1} could not be read completely. Repair it first: ligature repair --salvage": "{1} 无法完整读取。请先修复：ligature repair --salvage",
  "{1} is {2} and cannot be migrated in place. Use -o OUT.": "{1} 是{2}，无法原地迁移。请使用 -o OUT。",
  "{1} (the original is {2})": "{1}（原文件为 {2}）",
  "{1} placeholder results": "{1} 个占位结果",
  "{1}; {2} added for calls without a result": "{1}；为没有结果的调用添加了 {2}",
  "{1} made: {2}": "进行了 {1}：{2}",
  "message {1}  {2}  certainty {3}": "第 {1} 条消息  {2}  确定度 {3}",
  "check message {1}: {2} became a call, certainty {3}: {4}": "请检查第 {1} 条消息：{2} 变为调用，确定度 {3}：{4}",
  "check message {1}: {2} became text, certainty {3}: {4}": "请检查第 {1} 条消息：{2} 变为文本，确定度 {3}：{4}",
  "nothing to do, no tool calls found": "无需处理，未找到工具调用",
  "nothing to do, all calls are XML text": "无需处理，所有调用都是 XML 文本",
  "nothing to do, all calls are blocks": "无需处理，所有调用都是块",
  "{1} calls": "{1} 个调用",
  "{1} would become XML text": "{1}将变为 XML 文本",
  "{1} would become blocks": "{1}将变为块",
  "{1} became XML text": "{1}已变为 XML 文本",
  "{1} became blocks": "{1}已变为块",

  // resume
  "print the valid request for the next turn of a stored conversation": "输出已存储对话下一轮的有效请求",
  [`Opens a conversation in any state, also after a crash. The request goes to stdout, and the state of the
conversation to stderr: clean, with open tool calls (which become interrupted, since their progress is unknown), or damaged,
with what was salvaged, what was generated, and whether to check before continuing.

The request is valid for the provider, has one style of tool calls, and keeps the fields of an import from the same format.
The style is that of the conversation so far; --style changes it, and --append keeps the change. Results that were complete
before a crash are included.

Tool calls that wait for approval prevent it: nothing is printed and the exit code is 1, because providers reject a request
with an unanswered tool call. Answer them (ligature log append ID --result CALL=TEXT or --deny CALL), or use --waiting close:
then the model is told that they never ran.

--policy unansweredCall=drop-message (or drop-call) omits open tool calls from the request instead of telling the model that
they were interrupted, and --append removes them from the active path of the log; they stay there as a branch.

Nothing is written unless --append is given: then the results of open tool calls and the user message are in the log before
the request is printed.

A very large new result is shortened to its beginning and end (--trim), and the model is told so; with --tool recall also
how to read the rest. The log keeps the full result.`]: `打开处于任何状态的对话，包括崩溃之后。请求输出到 stdout，对话的状态输出到 stderr：完好；有未完成的工具调用（它们变为已中断，因为进度未知）；或已损坏，并说明挽救了什么、生成了什么，以及继续之前是否需要检查。

请求对该提供商有效，工具调用写法统一，并保留从同一格式导入时的字段。写法沿用对话至今的写法；--style 可以改变它，--append 会保留这一改变。崩溃之前已完成的结果会包含在内。

等待批准的工具调用会阻止继续：不输出任何内容，退出码为 1，因为提供商拒绝含有无结果工具调用的请求。请回答它们（ligature log append ID --result CALL=TEXT 或 --deny CALL），或使用 --waiting close：模型会被告知它们从未运行。

--policy unansweredCall=drop-message（或 drop-call）会从请求中省略未完成的工具调用，而不是告诉模型它们已中断；--append 会将它们移出日志的当前路径，作为分支保留。

除非给出 --append，否则不写入任何内容；给出时，在输出请求之前，未完成工具调用的结果和用户消息已写入日志。

很大的新结果会缩短为开头和结尾（--trim），并告知模型；使用 --tool recall 时还会告知如何读取其余部分。日志保留完整结果。`,
  "write all tool calls as blocks (json) or as text in tags (xml) (default: as in the conversation so far)": "将所有工具调用写成块（json）或标签形式的文本（xml）（默认：沿用对话至今的写法）",
  "the next user message": "下一条用户消息",
  "tool calls that wait for approval: refuse (default), or close them as never run": "等待批准的工具调用：refuse（默认），或 close，视为从未运行",
  "also append to the log what only the request contains": "同时将只在请求中的内容追加到日志",
  "shorten new results that are larger than this to their beginning and end (default 20,000; 0: never)": "将大于此值的新结果缩短为开头和结尾（默认 20,000；0：从不）",
  "name of a tool whose calls to find in stored text; repeatable": "要在存储的文本中查找其调用的工具名称；可重复使用",
  "the next request": "下一个请求",
  "and append the new entries to the log": "并将新条目追加到日志",
  "for a model that writes tool calls as text": "用于以文本写工具调用的模型",
  "the plan and the request as one JSON object": "将计划和请求输出为一个 JSON 对象",
  "--waiting is refuse or close, not {1}": "--waiting 只能是 refuse 或 close，不能是 {1}",
  "{1} for the request: {2}": "为请求进行了 {1}：{2}",
  "The last turn is finished: --user TEXT adds the next user message.": "最后一轮已结束：--user TEXT 添加下一条用户消息。",
  "{1} entries": "{1} 个条目",
  "appended {1}": "已追加 {1}",
  "The request contains {1} that the log does not have yet; --append writes to the log too.": "请求中有 {1}尚未写入日志；--append 会同时写入日志。",
  "--trim is a number of tokens, not {1}": "--trim 必须是 token 数，不能是 {1}",
  "0 shows every result in full.": "0 表示完整显示每个结果。",
  "To write a session file: {1}": "要写出会话文件：{1}",
  "resume writes requests, but {1} is a session format": "resume 写出的是请求，而 {1} 是会话格式",
  "Conversation {1} is empty, so there is nothing to send": "对话 {1} 为空，没有可发送的内容",
  "Give --user TEXT.": "请给出 --user TEXT。",
  "{1}, or {2} instead of --result, or resume --waiting close": "{1}，或用 {2} 代替 --result，或 resume --waiting close",
}
