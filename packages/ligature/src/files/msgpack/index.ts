/** MessagePack, as checkpoint databases hold it. */
export { readLanggraphMsgpack } from "./read-langgraph.ts"
export { type Extension, type MsgpackOptions, readMsgpack } from "./read-msgpack.ts"
