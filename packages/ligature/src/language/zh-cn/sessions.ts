/** Chinese for the sessions of agents: list, doctor, rescue, move, and sessions that are named by their ids. */
import type { Catalogue } from "../../model/index.ts"

export const sessions: Catalogue = {
  // States and lists
  "open": "未结束",
  "warnings": "警告",
  "errors": "错误",
  "id": "ID",
  "changed": "修改时间",
  "project": "项目",
  "This project": "当前项目",
  "Other projects": "其他项目",
  "All projects": "所有项目",
  "(no title)": "（无标题）",
  "{1} more sessions": "另有 {1} 个会话",
  "… and {1}; --limit N shows more": "…… {1}；用 --limit N 显示更多",
  "An id, a unique part of it, or latest can be given wherever a FILE is expected.": "凡是需要 FILE 的地方，都可以给出 ID、ID 中唯一的一段，或 latest。",
  "--limit is a number of sessions, not {1}": "--limit 应为会话数，而不是 {1}",
  "--since is a time, not {1}": "--since 应为时间，而不是 {1}",
  "For example: 2h, 7d, 2w or 2026-01-31.": "例如：2h、7d、2w 或 2026-01-31。",
  "Unknown agent {1}": "未知的智能体 {1}",
  "ligature formats lists them": "ligature formats 会列出它们",
  "The file has no session {1}.": "该文件中没有会话 {1}。",
  "{1} is part of the ids of {2} sessions: {3}. Give more of the id.": "{1} 出现在 {2} 个会话的 ID 中：{3}。请给出更长的一段 ID。",
  "No sessions found in the default folders of agents.": "在各智能体的默认文件夹中没有找到会话。",
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
while the agent works. warnings: the agent can continue, but something was lost or had to be guessed. errors: a provider would
reject its next request. How an agent writes its files, and what a repair would not change, is neither.

--repair replaces each session that has errors and keeps the original as FILE.bak. A session that a program has open, or
that was changed in the last minute, is left alone. --dry-run only shows what would be repaired.

A second run reads only files that changed: what was found is kept in the cache folder of the user. LIGATURE_CACHE names
another folder; off keeps nothing.

Exit code 0: no errors. 1: sessions with errors. 2: a file could not be read.`]: `在默认文件夹或 PATH 下查找所有已知智能体的会话，并逐一检查。按智能体列表，给出损坏的原因和需要处理的会话，每个会话附有一条使其恢复的命令。不做任何更改。

会话有四种状态。完好：可以原样继续。未结束：以尚无结果的工具调用结尾，智能体工作时这是正常的。警告：智能体可以继续，但有内容丢失或只能推测。错误：提供商会拒绝它的下一个请求。智能体写文件的习惯，以及修复不会改变的内容，都不算在内。

--repair 替换每个有错误的会话，并将原文件保留为 FILE.bak。被程序打开的会话，或最近一分钟内修改过的会话，不会被改动。--dry-run 只显示将要修复的内容。

再次运行时只读取有变化的文件：检查结果保存在用户的缓存文件夹中。LIGATURE_CACHE 可指定其他文件夹；off 表示不保存。

退出码 0：没有错误。1：有会话存在错误。2：有文件无法读取。`,
  "list only sessions with errors": "只列出有错误的会话",
  "replace each session that has errors; the original is kept as FILE.bak": "替换每个有错误的会话；原文件保留为 FILE.bak",
  "this week's sessions of this project": "当前项目一周内的会话",
  "repair all sessions with errors, with backups": "修复所有有错误的会话，并保留备份",
  "ligature doctor --repair repairs all sessions with errors and keeps the originals as .bak.": "ligature doctor --repair 修复所有有错误的会话，并将原文件保留为 .bak。",
  "would be repaired: {1}": "将会修复：{1}",
  "{1} was not changed: {2}. Close the session and try again.": "{1} 没有更改：{2}。请关闭该会话后重试。",
}
