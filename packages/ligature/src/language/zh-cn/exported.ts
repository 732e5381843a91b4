/** Chinese for showing a conversation to people: show, its documents and its redaction. */
import type { Catalogue } from "../../model/index.ts"

export const exported: Catalogue = {
  "No message has this text.": "没有消息包含此文本。",
  "Give only one of --message and --search": "--message 和 --search 只能给出一个",
  "… {1} more in this message": "…… 此消息中另有 {1} 处",
  "Give only one of --text, --md and --html": "--text、--md 和 --html 只能给出一个",
  "Omit {1}.": "请去掉 {1}。",
  "--html takes one input, got {1}": "--html 只接受一个输入，但给出了 {1} 个",
  "Make a page of each.": "请逐个生成页面。",
  "--html has the whole session": "--html 包含整个会话",
  "{1} is the input itself": "{1} 就是输入文件本身",
  "Taken out: {1}": "已移除：{1}",
  nothing: "无",
  "users in home paths": "主目录路径中的用户名",
  "given names": "给出的名称",
  "private keys": "私钥",
  "Anthropic keys": "Anthropic 密钥",
  "GitHub tokens": "GitHub 令牌",
  "GitLab tokens": "GitLab 令牌",
  "Slack tokens": "Slack 令牌",
  "AWS keys": "AWS 密钥",
  "Google keys": "Google 密钥",
  "Stripe keys": "Stripe 密钥",
  "API keys": "API 密钥",
  tokens: "令牌",
  passwords: "密码",
  secrets: "机密值",
  "{1}, a user in the paths, is still there elsewhere, {2} times: {3}": "路径中的用户名 {1} 在别处还出现了 {2} 次：{3}",
  "{1} long encoded values (images, signatures) were not looked into": "有 {1} 个较长的编码值（图片、签名）未经检查",
  "Read the result before you share it: not every secret can be recognised.": "分享前请先阅读结果：并非所有机密都能识别。",
  "show only messages that have this text, in any case, with their numbers": "只显示包含此文本的消息（不区分大小写），并标出序号",
  "write the same as a Markdown document (- for stdout)": "将同样的内容写成 Markdown 文档（- 表示标准输出）",
  "write one HTML file that shows the session in any browser, offline (- for stdout)":
    "写出一个 HTML 文件，可在任何浏览器中离线查看会话（- 表示标准输出）",
  "take out keys, tokens and the user in home paths, and say what was taken out": "移除密钥、令牌和主目录路径中的用户名，并说明移除了什么",
  "also take out this name, wherever it occurs; repeatable": "同时移除此名称，无论出现在哪里；可重复",
  "print at once, also what is longer than the terminal": "直接输出，超出一屏也不使用分页程序",
  "where it was said": "在哪里说过",
  "one file to send to somebody, without keys and home paths": "一个可以发给别人的文件，不含密钥和主目录路径",
  "a document, without keys and this name": "一份不含密钥和此名称的文档",
  "every message in full": "完整显示每条消息",
  "show every message in full, with arguments and results": "完整显示每条消息，包括参数和结果",
  "show only message N in full; an exchange with its results counts as one": "只完整显示第 N 条消息；一次往来及其结果算作一条",
  [`Prints all messages in order: turns, exchanges as brackets, each tool call with its outcome, and sizes. For a
session also its title, its compactions, and the branches other than the active one: abandoned branches and subagents.
Damage is repaired for the view only (nothing is written), with a note at the end.

Each message is one line with its number. --message N shows one in full, --text all of them. --md writes a Markdown document,
--html one file that shows the session in any browser, without a network: to be sent to somebody or attached to an issue. No text
of a message can break the layout of either.

--redact takes out keys, tokens, cookies, passwords in addresses and the user in home paths, --redact-name NAME names of
people and projects. The same text gets the same placeholder everywhere. What was taken out is listed on stderr.

On a terminal, long output goes through $PAGER (less, if unset); --no-pager prints it at once.`]: `按顺序输出所有消息：轮次、以括线表示的往来、每个工具调用及其结果，以及大小。对于会话，还会显示标题、压缩记录，以及活动分支以外的分支：已放弃的分支和子智能体。损坏仅在此视图中修复（不写入任何内容），并在末尾注明。

每条消息显示为一行并带有序号。--message N 完整显示一条，--text 完整显示全部。--md 写出 Markdown 文档，--html 写出一个无需网络即可在任何浏览器中查看会话的文件，便于发送给别人或附在问题单中。消息中的文本不会破坏两者的排版。

--redact 移除密钥、令牌、Cookie、地址中的密码以及主目录路径中的用户名，--redact-name NAME 移除人名和项目名。相同的文本在各处使用相同的占位符。移除的内容列在标准错误输出上。

在终端中，较长的输出会经过 $PAGER（未设置时为 less）；--no-pager 直接输出。`,
  "Prints what a model would see: the path to the tip, without hidden entries, with summaries in place of the entries they\ncover. --all shows every message of the path instead. --entries lists the entries of the path with their ids, notes, hides\nand summaries included: the ids that rewind, branch and --at take. --text shows complete messages, --md writes a document.\n\nOpen calls, calls that wait for approval, damage and what was salvaged are listed below. Nothing is written.":
    "输出模型将看到的内容：通往末端的路径，不含隐藏条目，摘要代替其覆盖的条目。--all 则显示路径上的所有消息。\n--entries 列出路径上的条目及其 id（包括备注、隐藏和摘要），即 rewind、branch 和 --at 所用的 id。\n--text 显示完整消息，--md 写出文档。\n\n下方列出未完成的调用、等待批准的调用、损坏以及已抢救的内容。不写入任何内容。",
}
