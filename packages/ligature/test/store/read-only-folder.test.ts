/** The jsonl store where this user may not write. */
import { jsonlStore } from "../../src/store/index.ts"
import { surviveReadOnlyFolder } from "./read-only-folder.ts"

surviveReadOnlyFolder({
  kind: "jsonl",
  placeIn: (folder) => folder,
  open: (folder) => jsonlStore({ folder }),
  refusal: /^The store cannot be written: EACCES: permission denied/,
})
