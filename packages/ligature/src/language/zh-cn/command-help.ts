/** Chinese for the help pages of the commands. In the terminal a paragraph is wrapped; tables, with two leading spaces, are not. */
import type { Catalogue } from "../../model/index.ts"

export const commandHelp: Catalogue = {
  [`Validates each conversation against the invariants that hold for every provider (every tool call has exactly one
result, nothing comes between a tool call and its results, …) and, with --for, against the requirements of one provider.
Each finding shows its place, the messages around it, and what repair would do; the same finding again, only its place.
Nothing is changed.

A tool call without a result at the end of a history is a finding too; with --open-tip it counts as still running.

Exit code 0: no damage. 1: findings. 2: a file could not be read.`]: `用对所有提供商都成立的不变量（每个工具调用恰好有一个结果，工具调用与其结果之间没有其他内容，……）校验每个对话；给出 --for 时，还会按某个提供商的要求校验。每个问题都会显示位置、前后的消息，以及 repair 会如何处理。不做任何修改。

历史末尾没有结果的工具调用也算问题；给出 --open-tip 时视为仍在运行。

退出码 0：没有损坏。1：发现问题。2：有文件无法读取。`,

  [`Reads the text of an error from stdin, a file or the command line: a provider's JSON body, a log line, a
stack trace. Prints the requirement that was violated, what to do about it, and the place and ids in the error. With
--history, finds them in the rejected request.

Exit code 0: recognised. 1: not an error about the conversation (a rate limit, an outage), or an unknown one.`]: `从 stdin、文件或命令行读取报错文本：提供商返回的 JSON、一行日志或调用栈。输出被违反的要求、处理办法，以及报错中的位置和 id。给出 --history 时，在被拒绝的请求中找到它们。

退出码 0：已识别。1：报错与对话无关（限流、服务中断），或者未知。`,

  [`Makes a view of a history that fits into a budget, and writes it as a session or as a request. Exchanges are kept, shortened or
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

A session becomes a session: a file of one without --budget, a session that is named by its id, and whatever is written with
--to claude-code, codex, pi or another agent, or with --install. What was compacted is in it as the agent's own compaction
entry where it has one, and the original stays. Without --budget it gets 64,000 tokens.

Everything else becomes a request, in the format of the input; a session file with --budget in the format of its agent's
provider. --to chooses another format.

--explain shows the decision about each item with its reason, and the budget as a bar; it writes nothing unless -o is given.
Exit code 1: no view fits.

A file with several conversations gives one request for each: on stdout one per line, in the order of the file; with
--out-dir one file each, named after the number of the conversation. A conversation for which no view fits is skipped.

Give the original file. A compacted view can be compacted again, with a warning, but the new handles refer to the view,
while the handles in it refer to the original history.`]: `生成符合预算的历史视图，并写成会话或请求。每次交互作为整体保留、缩短或省略：工具调用不会失去其结果。用户的第一个和最新的请求放得下就原样保留，否则摘录；未完成的工作会保留。省略的内容有句柄（#12、#12.2），ligature recall 凭句柄从原文件读取它；原文件不会改动。

预算可以是 token 数（32000、32k）、对话的百分比（10%），也可以是大小（20MB、500kB），用于因过大而被提供商拒绝的请求；此时请求不带缩进写出，使文件本身也符合预算。token 数是略微偏高的估计值；百分比向下取整，以吸收估计误差。工具定义计入 token 数或字节数的预算，但不计入百分比。

策略：digest（默认）保留可能用到的行，并原样保留末尾。generations 是分段的 digest，历史增长时已有分段不变，适合提示词缓存。window 保留两端。mask 将旧结果替换为占位。cap 缩短大的结果。dedupe 删除重复读取的内容。truncate 删除较早的一半。用 + 串联，从左到右执行：dedupe+mask+window。--goal 影响 digest 和 generations，它们会挑选行；其他策略按位置和大小决定。

会话写成会话：没有 --budget 的会话文件、用 ID 指定的会话，以及用 --to claude-code、codex、pi 或其他智能体，或用 --install 写出的内容。被压缩的部分以该智能体自己的压缩条目写入（如果它有的话），原会话保留不变。没有 --budget 时，预算为 64,000 个 token。

其他内容写成请求，采用输入的格式；带 --budget 的会话文件采用其智能体所用提供商的格式。--to 可选择另一种格式。

--explain 显示对每个条目的决定及原因，并用条形图显示预算；除非给出 -o，否则不写入任何内容。退出码 1：没有放得下的视图。

含有多个对话的文件，每个对话写出一个请求：stdout 上每行一个，按文件中的顺序；使用 --out-dir 时每个对话一个文件，以对话的序号命名。没有放得下的视图时，跳过该对话。

请给出原文件。压缩后的视图可以再次压缩，但会有警告：新句柄指向该视图，而视图中的句柄指向原来的历史。`,

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

退出码 0：无损坏。1：发现问题。2：有文件无法读取。`,

  [`Compares the content of two histories, exchange by exchange, in any formats: shows what is gone (-) and what is
new (+), together with the rest of the exchange. Ids do not count: a repair may rename them.

Exit code 0: same content. 1: different content. 2: a file could not be read.`]: `逐次交互比较两份历史的内容，不论其格式：显示消失的内容（-）和新增的内容（+），以及该次交互的其余部分。id 不参与比较：修复可能会改名。

退出码 0：内容相同。1：内容不同。2：有文件无法读取。`,

  [`Requests and message lists can be read and written in every format. Sessions can be read; "write" means that the
sessions of other agents can be converted to this format, "repair" that only its own sessions can be written. The format of
a file is detected from its content; --from and --to take these names.`]: `所有格式的请求和消息列表都可以读取和写入。会话可以读取；“写入”表示其他智能体的会话可以转换为此格式，“修复”表示只能写入它自己的会话。文件的格式根据内容识别；--from 和 --to 使用这些名称。`,

  [`A profile lists what one provider, or one family of its models, requires in addition to the invariants. check --for
validates against it; convert --for writes requests that meet it. With a name, explains that profile.`]: `profile 列出某个提供商或其某一系列模型在不变量之外的要求。check --for 据此校验；convert --for 写出符合要求的请求。给出名称时，说明该 profile。`,

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

  [`Repairs every conversation of a file and writes the file again: undamaged content keeps its bytes, and everything
around the conversations (model, tools, other lines of a log) stays as it is. Results move next to their tool calls, an
unanswered tool call gets a placeholder result, a result without a tool call becomes text: nothing is lost without an entry
in the report.

Without -o, --out-dir or --in-place the repaired file goes to stdout; a session that is named by its id, or as latest, is
repaired in place. --in-place first saves the original as FILE.bak and never replaces an existing .bak; for a session, the
command that resumes it is printed. --folder moves a session to another project folder. With --for, the file also meets the
requirements of this provider; in the session of an agent, only images and documents do.

An image that its provider rejects makes every further request of a session fail, so repair replaces it with a note. The
original is in the input file (FILE.bak with --in-place) and in the report.

Policies (the first value is the default):

  unansweredCall         synthesize | drop-message | drop-call
  orphanResult           reattach | demote | drop
  duplicateResult        keep-best | keep-first | keep-last
  foreignThinking        drop | text
  textBesideDroppedCall  keep | drop`]: `修复文件中的每个对话，并重新写出文件：未损坏的内容逐字节保留，对话之外的一切（model、tools、日志的其他行）保持不变。结果移到其工具调用之后，没有结果的工具调用得到占位结果，没有工具调用的结果变为文本：任何丢失都会记入报告。

没有 -o、--out-dir 或 --in-place 时，修复后的文件输出到 stdout；用 ID 或 latest 指定的会话则就地修复。--in-place 先将原文件保存为 FILE.bak，且从不替换已有的 .bak；对于会话，还会给出恢复它的命令。--folder 将会话移到另一个项目文件夹。给出 --for 时，文件还会符合该提供商的要求；对于智能体的会话，只处理图片和文档。

被提供商拒绝的图片会使会话之后的每个请求都失败，因此 repair 将其替换为说明文字。原图在输入文件（使用 --in-place 时为 FILE.bak）和报告中。

修复策略（第一个值为默认值）：

退出码 0：无损坏。1：发现问题。2：有文件无法读取。`,

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

  [`Without an ID: the ten invariants with their rules, the rules that profiles add, and the number of known provider
requirements. With the ID of a rule (orphan-result), an invariant (L3), a finding in session files (dangling-parent), a
profile rule (call-id-format) or a provider requirement (anthropic-orphan-tool-result): what it means, why it exists,
examples before and after, and the error messages of providers.`]: `没有 ID 时：列出十条不变量及其规则、profile 增加的规则，以及已知的提供商要求的数量。给出规则（orphan-result）、不变量（L3）、会话文件中的问题（dangling-parent）、profile 规则（call-id-format）或提供商要求（anthropic-orphan-tool-result）的 ID 时：说明其含义、原因、修复前后的示例，以及提供商的错误消息。`,

  [`Prints one row per file and a total, then where the tokens are (system, tools, user, thinking, calls, results, media) and
what the provider reported, cache hits among it, then the outcomes of all tool calls, and the tools by number of calls. Sizes are
bytes of content (text, arguments, results, media), not of the file. Tokens are estimated as in ligature compact: of the
history, without tool definitions. Unanswered tool calls at the end of a history are not counted as findings.`]: `每个文件输出一行，再加合计；然后是 token 所在（系统、工具、用户、思考、调用、结果、媒体）和提供商报告的用量（包括缓存命中），接着是所有工具调用的结局，以及按调用次数排列的工具。大小是内容（文本、参数、结果、媒体）的字节数，而不是文件的大小。token 数的估计方法与 ligature compact 相同：只计历史，不计工具定义。历史末尾没有结果的工具调用不计为问题。`,

  [`An HTTP server that clients send their requests to instead of to a provider. A damaged history is repaired for the
provider it goes to; a healthy request passes with its own bytes. The provider may speak another API than the client: requests
and answers, streamed or not, are converted. Conversations are kept in a store. Stops on SIGINT or SIGTERM when running answers have ended.`]: `一个 HTTP 服务器，客户端把请求发到这里而不是直接发给提供商。损坏的历史会按目标提供商的要求修复；健康的请求原样（逐字节）转发。提供商的 API 可以与客户端不同：请求和回答（无论是否流式）都会转换。对话保存在存储中。收到 SIGINT 或 SIGTERM 时，等进行中的回答结束后停止。`,
  [`Starts a gateway on a free port, starts the agent with the settings that lead it there, and stops with it. The exit code is that
of the agent. Claude Code, Codex, opencode, Gemini CLI, Qwen Code and Copilot CLI are known; any other program gets the variables that
SDKs read, and needs --upstream.`]: `在空闲端口启动网关，用指向它的设置启动智能体，并随智能体一起结束。退出码是智能体的退出码。已知 Claude Code、Codex、opencode、Gemini CLI、Qwen Code 和 Copilot CLI；其他程序会得到 SDK 读取的变量，并且需要 --upstream。`,
}
