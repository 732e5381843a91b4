/** Chinese for the page of `ligature view`, and for the command. */
import type { Catalogue } from "../../model/index.ts"

export const viewer: Catalogue = {
  // The command
  "--port is a number up to 65535, not {1}": "--port 是不超过 65535 的数字，不能是 {1}",
  "Port {1} is taken": "端口 {1} 已被占用",
  "Give another --port, or none.": "请用 --port 指定其他端口，或者不指定。",
  "Nothing leaves this machine. Stop with Ctrl-C.": "数据不会离开本机。按 Ctrl-C 停止。",
  "The page was not built. Run: {1}": "页面尚未构建。请运行：{1}",
  "This session is not there any more.": "该会话已不存在。",
  "show sessions in the browser: what broke, and what a repair does": "在浏览器中查看会话：哪里损坏，修复会做什么",
  "Opens a page with the sessions of all agents on this machine, or with a file or folder: the exchanges with the outcome of each\ncall, every finding in its place, and what a repair would do about it. The page reads files itself; nothing leaves this machine.\n\nThe server listens on 127.0.0.1 only, and answers nobody but the page it opened. Stops with Ctrl-C.":
    "打开一个页面，显示本机所有智能体的会话，或给定的文件或文件夹：每次调用及其结果，每个问题及其位置，\n以及修复会如何处理。文件由页面自己读取，数据不会离开本机。\n\n服务只监听 127.0.0.1，只回应它所打开的页面。按 Ctrl-C 停止。",
  "listen on this port (default: any free port)": "监听此端口（默认：任意空闲端口）",
  "print the address, and do not open a browser": "只输出地址，不打开浏览器",
  "the sessions of all agents": "所有智能体的会话",
  "the newest session of this project": "此项目最新的会话",

  // The page
  Page: "页面",
  "Drop a session, a request or a log here to see what is in it and what is wrong with it.":
    "将会话、请求或日志拖放到这里，查看其中的内容和问题。",
  "Choose a file": "选择文件",
  "Nothing leaves this machine.": "数据不会离开本机。",
  "Open a file": "打开文件",
  "Reading…": "正在读取…",
  "Drop to open": "松开以打开",
  Sessions: "会话",
  Filter: "筛选",
  "{1} sessions": "{1} 个会话",

  // A session
  "active path": "当前路径",
  "abandoned branch": "已放弃的分支",
  subagent: "子智能体",
  Conversation: "对话",
  "conversation {1}": "对话 {1}",
  Branch: "分支",
  "Search in this session": "在此会话中搜索",
  "Search  /": "搜索  /",
  Timeline: "时间线",
  edit: "编辑",
  "Show all {1} lines": "显示全部 {1} 行",
  "no result in the file": "文件中没有结果",
  "Show more": "显示更多",
  "Show less": "收起",
  "{1} lines": "{1} 行",
  "thinking without text": "没有文本的思考",

  // Findings
  Findings: "问题",
  warning: "警告",
  note: "提示",
  "No findings: this history is valid.": "没有问题：此历史有效。",
  "{1} before": "前面还有 {1}",
  "{1} after": "后面还有 {1}",
  "Why it matters": "为什么重要",
  "What a repair does": "修复会做什么",
  "What to do": "怎么办",
  Line: "行",
  "moved or renamed": "移动或重命名",
  "added a placeholder": "添加了占位结果",
  "kept as text": "保留为文本",
}
