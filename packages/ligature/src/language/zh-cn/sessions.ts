/** Chinese for the sessions of agents: list, doctor, rescue, move, and sessions that are named by their ids. */
import type { Catalogue } from "../../model/index.ts"

export const sessions: Catalogue = {
  // States and lists
  open: "未结束",
  warnings: "警告",
  errors: "错误",
  id: "ID",
  changed: "修改时间",
  project: "项目",
  "this project": "当前项目",
  "This project": "当前项目",
  "Other projects": "其他项目",
  "All projects": "所有项目",
  "(no title)": "（无标题）",
  "{1} more sessions": "另有 {1} 个会话",
  "… and {1}; --limit N shows more": "…… {1}；用 --limit N 显示更多",
  "An id, a unique part of it, or latest can be given wherever a FILE is expected.":
    "凡是需要 FILE 的地方，都可以给出 ID、ID 中唯一的一段，或 latest。",
  "--limit is a number of sessions, not {1}": "--limit 应为会话数，而不是 {1}",
  "--since is a time, not {1}": "--since 应为时间，而不是 {1}",
  "For example: 2h, 7d, 2w or 2026-01-31.": "例如：2h、7d、2w 或 2026-01-31。",
  "Unknown agent {1}": "未知的智能体 {1}",
  "ligature formats lists them": "ligature formats 会列出它们",
  "The file has no session {1}.": "该文件中没有会话 {1}。",
  "{1} is part of the ids of {2} sessions: {3}. Give more of the id.": "{1} 出现在 {2} 个会话的 ID 中：{3}。请给出更长的一段 ID。",
  "No sessions found in the default folders of agents.": "在各智能体的默认文件夹中没有找到会话。",
  // search
  "find a text in the sessions of all agents": "在所有智能体的会话中查找文本",
  [`Searches messages, arguments and results of tool calls, ignoring case, newest sessions first. Each match has a handle:
ligature recall SESSION HANDLE reads its surroundings. Exit code 1: nothing was found.`]:
    "搜索消息、工具调用的参数和结果，不区分大小写，最新的会话在前。每处匹配都有句柄：ligature recall SESSION HANDLE 读取其上下文。退出码 1：没有找到。",
  "search this file or folder instead of the homes of agents; repeatable": "搜索此文件或文件夹，而不是各智能体的默认文件夹；可重复",
  "show at most N sessions (default 10)": "最多显示 N 个会话（默认 10）",
  "where did this error occur before?": "这个错误以前在哪里出现过？",
  "of one agent, of four weeks": "某个智能体四周内的会话",
  "search needs a text": "search 需要要查找的文本",
  "For example: {1}": "例如：{1}",
  "No session has this text.": "没有会话包含此文本。",
  "{1} not looked at; --limit N shows more sessions": "{1}未查看；--limit N 显示更多会话",
  "{1} older files": "{1} 个更早的文件",
  "{1} could not be read: {2}": "{1}无法读取：{2}",

  // mcp
  "serve these commands as tools to agents, over MCP": "通过 MCP 把这些命令作为工具提供给智能体",
  [`A server of the Model Context Protocol on stdin and stdout. An agent can list and search the sessions on this machine, read
them, check them, and recall what a compaction removed. Only the homes of agents and the folders given with --allow can be
read, and nothing is written without --allow-write.`]:
    "在标准输入和标准输出上运行的 Model Context Protocol 服务器。智能体可以列出、搜索、阅读和检查本机上的会话，并找回压缩时移除的内容。只能读取各智能体的默认文件夹和用 --allow 指定的文件夹；没有 --allow-write 时不会写入任何内容。",
  "also read session files in this folder and below it; repeatable": "也可读取此文件夹及其下的会话文件；可重复",
  "also offer tools that write: repair in place with a backup, convert to another agent":
    "同时提供会写入的工具：带备份的原地修复，转换给另一个智能体",
  "print the lines that set this server up in an agent, instead of serving": "只打印在智能体中设置此服务器的内容，不启动服务",
  "tools that only read": "只读工具",
  "what to paste into which agent": "各智能体需要粘贴的内容",
  "The MCP server is a package of its own, which is not installed": "MCP 服务器是一个单独的软件包，尚未安装",

  "list the sessions of all agents, newest first": "列出所有智能体的会话，最新的在前",
  [`Lists the sessions of every known agent, newest first, those of the current folder before all others. Sub-agents are
not listed. The id of a session, a unique part of it, or the word latest (the newest session of this project) can be given to
every command that takes a file: ligature show latest.`]:
    "列出所有已知智能体的会话，最新的在前，当前文件夹的会话排在最前面。不列出子智能体。会话的 ID、ID 中唯一的一段，或 latest（当前项目最新的会话）可以用于任何接受文件的命令：ligature show latest。",
  "only sessions of this agent (claude-code, codex, pi, …)": "只看该智能体的会话（claude-code、codex、pi……）",
  "only sessions changed since then: 2h, 7d, 2w or 2026-01-31": "只看此后修改过的会话：2h、7d、2w 或 2026-01-31",
  "only sessions of this folder and the folders below it (. is the current one)": "只看该文件夹及其子文件夹的会话（. 表示当前文件夹）",
  "show at most N sessions (default 20)": "最多显示 N 个会话（默认 20）",
  "the newest sessions, this project first": "最新的会话，当前项目在前",
  "of one agent, of two weeks": "某个智能体两周内的会话",
  "read the newest one": "阅读最新的会话",
  "only show what would be written; change nothing": "只显示将要写入的内容，不做任何更改",

  // doctor
  [`Finds the sessions of every known agent in its default folder, or under PATH, and checks all of them. Prints a table by
agent, the causes of damage, and the sessions that need help, each with the one command that revives it. Nothing is changed.

A session is in one of four states. healthy: it continues as it is. open: it ends in an unanswered tool call, which is normal
while the agent works. warnings: the agent can continue, but something was lost or had to be guessed, or it may be too large to
resume. errors: a provider would reject its next request. How an agent writes its files, and what a repair would not change, is neither.

--repair replaces each session that has errors and keeps the original as FILE.bak. A session that a program has open, or
that was changed in the last minute, is left alone. --dry-run only shows what would be repaired.

A second run reads only files that changed: what was found is kept in the cache folder of the user. LIGATURE_CACHE names
another folder; off keeps nothing.

Exit code 0: no errors. 1: sessions with errors. 2: a file could not be read.`]: `在默认文件夹或 PATH 下查找所有已知智能体的会话，并逐一检查。按智能体列表，给出损坏的原因和需要处理的会话，每个会话附有一条使其恢复的命令。不做任何更改。

会话有四种状态。完好：可以原样继续。未结束：以尚无结果的工具调用结尾，智能体工作时这是正常的。警告：智能体可以继续，但有内容丢失或只能推测，或者会话可能大到无法恢复。错误：提供商会拒绝它的下一个请求。智能体写文件的习惯，以及修复不会改变的内容，都不算在内。

--repair 替换每个有错误的会话，并将原文件保留为 FILE.bak。被程序打开的会话，或最近一分钟内修改过的会话，不会被改动。--dry-run 只显示将要修复的内容。

再次运行时只读取有变化的文件：检查结果保存在用户的缓存文件夹中。LIGATURE_CACHE 可指定其他文件夹；off 表示不保存。

退出码 0：没有错误。1：有会话存在错误。2：有文件无法读取。`,
  "list only sessions with errors": "只列出有错误的会话",
  "replace each session that has errors; the original is kept as FILE.bak": "替换每个有错误的会话；原文件保留为 FILE.bak",
  "this week's sessions of this project": "当前项目一周内的会话",
  "repair all sessions with errors, with backups": "修复所有有错误的会话，并保留备份",
  "ligature doctor --repair repairs all sessions with errors and keeps the originals as .bak.":
    "ligature doctor --repair 修复所有有错误的会话，并将原文件保留为 .bak。",
  "would be repaired: {1}": "将会修复：{1}",
  "{1} was not changed: {2}. Close the session and try again.": "{1} 没有更改：{2}。请关闭该会话后重试。",

  // Sessions that are written
  "Would be written to {1}": "将写入 {1}",
  "Written to {1}; the original stays at {2}": "已写入 {1}；原会话仍在 {2}",
  "would be written to {1}; the original would stay": "将写入 {1}；原会话保留不变",
  "{1} would be written": "将写入 {1}",
  "{1} would be repaired; the original would be kept as {2}": "{1} 将被修复；原文件将保留为 {2}",
  "{1} is there already": "{1} 已经存在",
  "{1} already exists and is not overwritten.": "{1} 已存在，不会被覆盖。",
  "This agent's folder is not known here ({1}). ligature convert with -o FILE writes the file; put it there.":
    "无法确定该智能体的文件夹（{1}）。ligature convert 加上 -o FILE 可写出文件，再将它放到那里。",
  "Reading a SQLite database needs Node 22.13 or newer, this is Node {1}. Run ligature with a newer Node, or export the session to a file with its agent and give that file.":
    "读取 SQLite 数据库需要 Node 22.13 或更高版本，当前是 Node {1}。请用更新的 Node 运行 ligature，或用该智能体把会话导出为文件，再给出该文件。",
  "{1} of folders that do not exist here. Where a project was moved: ligature rescue ID --folder DIR":
    "{1}所属的文件夹在这里不存在。如果项目已移动：ligature rescue ID --folder DIR",
  "It is not known where {1} keeps its sessions. Use -o FILE.": "不知道 {1} 的会话存放位置。请使用 -o FILE。",
  "{1} does not say which folder a session belongs to, so --folder changes nothing.":
    "{1} 没有记录会话所属的文件夹，因此 --folder 不起作用。",
  "the project folder that the session belongs to from now on, where it was renamed or comes from another machine":
    "会话今后所属的项目文件夹，用于项目已改名或来自另一台机器的情况",
  "put the session where its agent looks for it, and print how to resume it": "将会话放到其智能体查找的位置，并给出恢复命令",
  "resume it with": "恢复命令",
  "--install needs the session format of an agent": "--install 需要智能体的会话格式",
  "Give only one of --install, -o and --out-dir": "--install、-o 和 --out-dir 只能给出一个",
  "the newest session of this project, in place": "当前项目最新的会话，就地修复",
  "continue the newest session in another agent": "在另一个智能体中继续最新的会话",
  "the newest session as a smaller one that its agent opens": "将最新的会话压缩成其智能体能打开的较小会话",
  "reading {1}: {2} messages …": "正在读取 {1}：{2} 条消息……",
  "It fits already, with {1}: nothing was written.": "已经放得下（{1}），没有写入任何内容。",
  "{1} before, {2} after (estimated); the original stays at {3}": "压缩前 {1}，压缩后 {2}（估计值）；原会话仍在 {3}",
  "Only one session can be compacted into a session at a time": "一次只能将一个会话压缩为会话",
  "{1} is not the session format of an agent": "{1} 不是智能体的会话格式",
  "No view fits: {1}": "没有放得下的视图：{1}",
  "{1} has no session.": "{1} 中没有会话。",
  "{1} has {2} sessions. Give one: FILE#ID. ligature list FILE shows the ids.":
    "{1} 中有 {2} 个会话。请指定一个：FILE#ID。ligature list FILE 会列出 ID。",

  "{1} is for requests, and this writes a session": "{1} 用于请求，而这里写出的是会话",

  // stats, show, completions and the frame
  "tokens in": "token 所在",
  share: "占比",
  summaries: "摘要",
  system: "系统",
  tools: "工具",
  user: "用户",
  assistant: "助手",
  "{1} responses": "{1} 个响应",
  "Reported by the provider: {1}, {2} tokens in, {3} % of them from the cache, {4} tokens out":
    "提供商报告：{1}，输入 {2} 个 token，其中 {3} % 来自缓存，输出 {4} 个 token",
  "where the tokens of the newest session are": "最新会话的 token 用在哪里",
  "show only message N in full; an exchange with its results counts as one": "只完整显示第 N 条消息；一次交互连同其结果算作一条",
  "one message in full": "完整显示一条消息",
  "{1} has no message {2}": "{1} 没有第 {2} 条消息",
  "It has 1 to {1}; an exchange with its results counts as one.": "可选范围为 1 到 {1}；一次交互连同其结果算作一条。",
  "--message is a number, not {1}": "--message 应为数字，而不是 {1}",
  "the same as --color=never": "等同于 --color=never",
  "print only what was asked for and errors: no notes, no summaries on stderr": "只输出所要求的内容和错误：stderr 上没有说明和摘要",
  "Did you mean {1}?": "您是指 {1} 吗？",
  "print completions for bash, zsh or fish, or the man page": "输出 bash、zsh 或 fish 的补全脚本，或手册页",
  [`Prints a script that completes commands, options and their values, or a man page. They are made from the same declarations as the help, so
that they never disagree with what is accepted.`]:
    "输出补全命令、选项及其取值的脚本，或手册页。它们与帮助由同一份声明生成，因此始终与实际接受的内容一致。",
  "for bash": "用于 bash",
  "for fish": "用于 fish",
  "read the man page": "阅读手册页",
  "Give bash, zsh, fish or man": "请给出 bash、zsh、fish 或 man",
  "See: {1}": "参见：{1}",

  // Choosing a session
  "Which session? Number (1):": "选择哪个会话？编号（1）：",
  "{1} is not one of the numbers": "{1} 不在编号之中",
  "Give one session, got {1}": "请只给出一个会话，实际给出了 {1} 个",
  "No file and no session is called {1}. ligature list shows the sessions.": "没有名为 {1} 的文件或会话。ligature list 会列出会话。",

  // rescue
  "make a session that does not go on continue: repair, compact, media, folder": "让无法继续的会话继续：修复、压缩、媒体、文件夹",
  [`Finds out why a session cannot be resumed, and shows what would help, step by step, with the tokens that the agent sends
next, before and after. Nothing is written without --apply.

repair makes the history valid again, and replaces images and documents that the provider rejects; the original is kept as
FILE.bak. compact writes a session that is too large to resume as a smaller one in the agent's own format, with the agent's own
compaction entry where it has one; the original stays where it is. folder is for a project that was renamed or comes from
another machine. While the agent has the session open, nothing is changed.

--undo puts the backup back.

Exit code 1: there is something to do, and --apply was not given.`]: `找出会话无法恢复的原因，逐步给出解决办法，以及智能体下次发送的 token 数（之前和之后）。没有 --apply 时不写入任何内容。

repair 使历史重新有效，并替换提供商会拒绝的图片和文档；原文件保留为 FILE.bak。compact 将过大而无法恢复的会话写成该智能体自己格式的较小会话，并使用它自己的压缩条目（如果它有的话）；原会话保留在原处。folder 用于已改名或来自另一台机器的项目。智能体打开会话期间，不做任何更改。

--undo 恢复备份。

退出码 1：有需要处理的问题，但没有给出 --apply。`,
  "do what is shown; originals are kept": "执行所显示的步骤；保留原文件",
  "put the newest FILE.bak back": "恢复最新的 FILE.bak",
  "compact a session that sends more tokens than this (default 150k)": "会话发送的 token 多于此数时进行压缩（默认 150k）",
  "tokens of a compacted session (default 64k)": "压缩后会话的 token 数（默认 64k）",
  "what would help the newest session of this project": "怎样让当前项目最新的会话继续",
  "do it": "执行",
  "a session whose project was renamed": "项目已改名的会话",
  "put the original back": "恢复原文件",
  "--most is a number of tokens, not {1}": "--most 应为 token 数，而不是 {1}",
  "--budget of rescue is a number of tokens": "rescue 的 --budget 应为 token 数",
  "{1} is not the session of an agent.": "{1} 不是智能体的会话。",
  compact: "压缩",
  "sessions of {1} are only read. ligature move continues it in another agent.":
    "{1} 的会话只能读取。ligature move 可在另一个智能体中继续它。",
  "what can be read of the file is kept": "保留文件中能读取的内容",
  "not repaired: a part of it cannot be read; ligature rescue keeps the rest": "未修复：其中一部分无法读取；ligature rescue 可保留其余内容",
  "damaged lines are left out": "去掉损坏的行",
  "{1} are too many, but new {2} sessions cannot be written. ligature move continues it in another agent.":
    "{1} 太多，但无法写入新的 {2} 会话。可用 ligature move 在另一个智能体中继续。",
  "{1} become {2}, in a new session; the original stays at {3}": "{1} 变为 {2}，写成新会话；原会话仍在 {3}",
  "{1} does not exist here. If the project is in DIR now: {2}": "{1} 在此处不存在。如果项目现在位于 DIR：{2}",
  "Nothing can be repaired without that.": "否则无法修复任何内容。",
  "it is {1}, which is only read. ligature move continues it in another agent.":
    "它是{1}，只能读取。ligature move 可在另一个代理中继续该会话。",
  "{1} ({2}), in a new session: it is {3}, which is only read": "{1}（{2}），写入新会话：它是{3}，只能读取",
  "the session belongs to {1} from now on": "会话今后属于 {1}",
  "There is no backup of {1}. A rescue that compacts or moves a session leaves the original as it is and writes another file.":
    "没有 {1} 的备份。压缩或移动会话的 rescue 不会改动原文件，而是另写一个文件。",
  "{1} would be what {2} is": "{1} 将恢复为 {2} 的内容",
  "{1} is again what {2} was": "{1} 已恢复为 {2} 的内容",
  "What is sent next: {1} before, {2} after (estimated, without tools and system prompt)":
    "下次发送的内容：之前 {1}，之后 {2}（估计值，不含工具和系统提示）",
  "Nothing to repair: the session can be resumed as it is.": "没有需要修复的内容：会话可以原样恢复。",
  "Not now: {1}": "现在不行：{1}",
  "Nothing was written. To do it: {1}": "没有写入任何内容。要执行：{1}",

  // move
  "continue a session in another agent": "在另一个智能体中继续会话",
  [`Converts a session, puts it where the other agent looks for it, and proves that everything arrived: the new file is read
back and compared with the source, call by call and text by text. The command that resumes it is printed; --start runs it. The
source is never changed.

Without a name, a list of the newest sessions is shown to choose from, those of this project first; where nobody can be asked,
the newest session of this project is taken.

Exit code 1: something is missing in the new session.`]: `转换会话，放到另一个智能体查找的位置，并证明内容齐全：重新读取新文件，与来源逐个调用、逐段文本地比较。随后给出恢复命令；--start 会运行它。来源不会被更改。

没有给出名称时，显示最新的会话供选择，当前项目的在前；无法询问时，取当前项目最新的会话。

退出码 1：新会话中缺少内容。`,
  "claude-code, codex, pi, … (ligature formats lists them)": "claude-code、codex、pi……（ligature formats 会列出它们）",
  "run the command that resumes the session": "运行恢复会话的命令",
  "choose a session and continue it in Codex": "选择一个会话并在 Codex 中继续",
  "the newest session, in this folder": "最新的会话，放在当前文件夹",
  "only show what would be written": "只显示将要写入的内容",
  "The new session would not be readable, so nothing was written. Please report this file.":
    "新会话将无法读取，因此没有写入任何内容。请报告该文件。",
  "This is a session of {1} already": "这已经是 {1} 的会话",
  "In another project folder: {1}": "换到另一个项目文件夹：{1}",
  "{1} may be too many to resume. Smaller: {2}": "{1}可能多到无法恢复。压缩：{2}",
  "{1} does not exist here. {2} names where the project is now.": "{1} 在这里不存在。用 {2} 指定项目现在的位置。",
  "Read back: {1} of {2} calls, {3} of {4} user texts": "重新读取：{2} 个调用中的 {1} 个，{4} 段用户文本中的 {3} 段",

  // A kind of anomaly
  "The agent keeps a result with its call and once more in a record of the user, and sends both when it resumes the session. Providers refuse a request with more results than calls.":
    "该智能体将结果与其调用一起保存，又在用户的记录中保存一次，并在恢复会话时两份都发送。提供商会拒绝结果多于调用的请求。",
  "Repair leaves the second copy out.": "修复会去掉第二份。",
  "run it in {1}: sessions are found by the folder they name": "请在 {1} 中运行：会话按其中记录的文件夹查找",
  "run it in {1}, the folder the session names": "请在会话记录的文件夹 {1} 中运行",
  "the agent finds it by a manifest in the same folder, {1}.json, which convert --install writes":
    "智能体通过同一文件夹中的清单 {1}.json 找到它；convert --install 会写入该清单",
  "In an editor, open it from the history of the side bar, which lists what ~/.continue/sessions/sessions.json names.":
    "在编辑器中，从侧栏的历史记录打开；其中列出 ~/.continue/sessions/sessions.json 中的会话。",
  "newer versions keep sessions in sessions.db and import such files only when they create it":
    "较新的版本将会话存于 sessions.db，仅在创建它时导入此类文件",
  "<project> is the project's path in lower case, everything but letters and digits replaced by single dashes":
    "<project> 是项目路径的小写形式，字母和数字以外的字符均替换为单个连字符",
  "the file can be anywhere; a single chat must be in a list, […], to be imported": "文件可放在任何位置；单个聊天须放在列表 […] 中才能导入",
  "Import it in the folder of the project: the session belongs to the project it is imported in.":
    "请在项目文件夹中导入：会话归属于导入时所在的项目。",
  "the id in the session is not a valid file name; here it is {1}": "会话中的 id 不是有效的文件名；此处使用 {1}",
  "the task must be in the agent's task index, with a ui_messages.json next to the file; <globalStorage> is the editor's User/globalStorage folder, and the agents' folders in it are {1}":
    "任务须在智能体的任务索引中，且文件旁有 ui_messages.json；<globalStorage> 是编辑器的 User/globalStorage 文件夹，其中各智能体的文件夹为 {1}",
  "open the task in the agent's history": "在智能体的历史记录中打开该任务",
  "resume it by its id: the picker of codex resume lists only what is in the agent's database, and a file that was copied there is not; CODEX_HOME moves ~/.codex":
    "请用 id 恢复：codex resume 的选择列表只显示智能体数据库中的会话，复制进去的文件不在其中；CODEX_HOME 可更改 ~/.codex 的位置",
  "The folder under tmp is the one the agent made for the project: start it there once to see which.":
    "tmp 下的文件夹由智能体为项目创建：在项目中启动一次即可看到是哪一个。",
  "Run it in {1}.": "请在 {1} 中运行。",
  " If ~/.gemini/projects.json has another name for the project, that is the folder under tmp. gemini --list-sessions shows what it found; inside, /resume lists sessions too.":
    "如果 ~/.gemini/projects.json 中项目使用其他名称，tmp 下的文件夹即为该名称。gemini --list-sessions 显示找到的会话；在程序中也可用 /resume 列出。",
}
