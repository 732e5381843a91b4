/** Chinese for what is wrong with the records of a session, and how it came about. */
import type { Catalogue } from "../../model/index.ts"

export const sessionDamage: Catalogue = {
  "the session ends in a running tool call: normal while the agent works": "会话以运行中的工具调用结尾：智能体工作时属正常",
  "a compaction separated a call from its result": "压缩将调用与其结果分开",
  "the model's answer was cut off while it was written": "模型的回答在写入时被截断",
  "a call or a result was never written, or was removed": "调用或结果从未写入，或已被移除",
  "the file starts in the middle of a session": "文件从会话中途开始",
  "a line is damaged": "某一行已损坏",
  "the last line was not written completely": "最后一行未写完整",
  "two records are on one line": "一行中有两条记录",
  "different calls or records have the same id, as a redactor leaves them": "不同的调用或记录具有相同的 id（脱敏工具所致）",
  "a provider gave an id twice": "提供商重复给出同一 id",
  "the same call, result or record was written twice": "同一调用、结果或记录写入了两次",
  "calls as blocks are answered by text, or the style changes in the middle": "块形式的调用由文本回答，或写法在中途改变",
  "a result has the id of a call of another kind": "结果具有另一类调用的 id",
  "a result is before its call, or results are out of order": "结果位于其调用之前，或结果顺序错乱",
  "results of parallel calls are next to the path: the agent writes them so": "并行调用的结果位于路径之外：该智能体即如此写入",
  "a record names a parent that is missing": "记录所指的父记录缺失",
  "a compaction continues a message that was never written": "压缩所接续的消息从未写入",
  "a part of the session is in another file": "会话的一部分在另一个文件中",
  "a record refers to something outside of the file": "记录引用了文件之外的内容",
  "thinking that its provider would reject": "其提供商会拒绝的思考内容",
  "an empty message or text": "空消息或空文本",
  "arguments that are not a JSON object": "参数不是 JSON 对象",
  "a call, a result or a record has no id": "调用、结果或记录没有 id",
  "an image or document that its provider rejects": "其提供商会拒绝的图像或文档",
  "more than many models take at once: it may not be possible to resume it": "超过许多模型一次能接受的量：可能无法恢复",
  "an id or a tool name that its provider rejects": "其提供商会拒绝的 id 或工具名称",
  "a record type that this version does not know": "此版本未知的记录类型",
  "a message that does not have the shape of its format": "消息不符合其格式的结构",
  "The agent follows parents from the last record to the first: it loses everything before a missing parent.":
    "智能体从最后一条记录沿父记录回溯到第一条：缺失的父记录之前的内容会全部丢失。",
  "Repair links the record to the one before it in the file.": "修复时将该记录链接到文件中的前一条记录。",
  "Parent links form a cycle: the agent never reaches the beginning of the session.": "父链接形成循环：智能体永远到不了会话的开头。",
  "Repair breaks the cycle: from there on the order of the file is taken.": "修复时打断循环：从该处起采用文件中的顺序。",
  "A compaction continues a message that was never written; the agent starts from the summary.":
    "压缩所接续的消息从未写入；智能体从摘要开始。",
  "Nothing to do: the record before it in the file is read before it.": "无需处理：文件中的前一条记录会读在它之前。",
  "Parallel calls fork the tree of records; a walk from the last record to the first misses their results.":
    "并行调用使记录树分叉；从最后一条记录回溯会漏掉它们的结果。",
  "Nothing to do: the result is attached to its call.": "无需处理：结果已归到其调用。",
  "The result was written to the file before the record of its call.": "结果在其调用的记录之前写入文件。",
  "Nothing to do: it is read after its call.": "无需处理：它会读在其调用之后。",
  "A rewind names a message that is not in the file; the agent itself would forget the whole history here.":
    "回退所指的消息不在文件中；智能体自身会在此忘记全部历史。",
  "The rewind is ignored and all messages are kept. Go back by hand if messages should be gone.":
    "忽略该回退，保留所有消息。若应去除消息，请手动回退。",
  "A part of this conversation is stored in another file.": "此对话的一部分存储在另一个文件中。",
  "Read that file as well: what is here is only the later part.": "请一并读取那个文件：这里只有后面的部分。",
  "A record refers to something outside of the file, such as a large output that was stored apart.":
    "记录引用了文件之外的内容，例如单独存储的大段输出。",
  "Keep the named file with the session.": "请将所指文件与会话一起保存。",
  "A result of one kind has the id of a call of another kind; the agent would not pair them.":
    "某类结果具有另一类调用的 id；智能体不会将它们配对。",
  "It is read as no answer to that call.": "不将其视为该调用的回答。",
  "Results of one message are linked beside each other, and the agent follows only one of the links.":
    "同一消息的结果并列链接，而智能体只沿其中一个链接前进。",
  "Repair links the results one after the other.": "修复时将这些结果依次链接。",
  "A record has no id, so that no later record can be linked to it.": "记录没有 id，之后的记录无法链接到它。",
  "Repair gives the record an id.": "修复时为该记录分配 id。",
  "Different records have the same id, as a redactor leaves them: the agent sees only the last of them.":
    "不同的记录具有相同的 id（脱敏工具所致）：智能体只能看到其中最后一条。",
  "Repair gives each of them an id of its own.": "修复时为每条记录分配各自的 id。",
  "Several different calls have the same id, as a redactor or a provider leaves them.":
    "多个不同的调用具有相同的 id（脱敏工具或提供商所致）。",
  "Nothing to do: calls and results are matched by position.": "无需处理：调用与结果按位置匹配。",
  "The agent stopped while the model was still writing this message.": "智能体在模型仍在写这条消息时停止。",
  "What had arrived is kept; a call whose arguments broke off is never executed.": "保留已到达的内容；参数中断的调用永不执行。",
  "No version of this format that is known writes such a record.": "此格式的已知版本都不会写出这样的记录。",
  "Nothing to do: it is kept as it is and is no part of the conversation.": "无需处理：原样保留，不属于对话。",
  "A record that should hold a message does not have its shape.": "应含有消息的记录不符合其结构。",
  "It is kept as it is and is no part of the conversation.": "原样保留，不属于对话。",
  "The same record is in the file twice, as a retry or a second writer leaves it.": "同一记录在文件中出现两次（重试或第二个写入者所致）。",
  "Nothing to do: it is read once.": "无需处理：只读取一次。",
  "The agent keeps a result with its call and once more in a record of the user, and sends both when it resumes the session. Providers refuse a request with more results than calls.":
    "智能体将结果与其调用一起保存，又在用户记录中保存一次，恢复会话时两者都会发送。提供商拒绝结果多于调用的请求。",
  "Repair leaves the second copy out.": "修复时省略第二份副本。",
}
