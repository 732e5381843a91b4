/** A row of a repair: on the left what the file has, on the right what it is then. Blocks that moved know where the other end is. */
import type { fatesOf } from "../history/repaired.ts"
import type { Row } from "../history/rows.ts"
import { blockLine, callLine } from "../library.ts"
import type { Block } from "../library-types.ts"
import { OutcomeMark } from "../timeline/call.tsx"
import { phrase } from "../words.ts"
import type { Joints } from "./joints.ts"

export type FateOf = ReturnType<typeof fatesOf>

interface BeforeProperties {
  readonly block: Block
  readonly row: number
  readonly fateOf: FateOf
  readonly joints: Joints
  readonly onRow: (row: number) => void
}

export const BeforeBlock = ({ block, row, fateOf, joints, onRow }: BeforeProperties) => {
  const fate = fateOf(block, row)
  return (
    <div class={`line line-${fate.kind}`} data-left={joints.of(block)?.number}>
      <span class="line-text">{blockLine(block)}</span>
      {fate.kind === "moved" && (
        <button type="button" class="joint" onClick={() => onRow(fate.row)} title={phrase`moved to #${fate.row + 1}`}>
          → #{fate.row + 1}
        </button>
      )}
      {fate.kind === "gone" && <span class="line-note">{phrase`changed or left out`}</span>}
    </div>
  )
}

const AfterBlock = ({ block, joints, added = false }: { readonly block: Block; readonly joints: Joints; readonly added?: boolean }) => {
  const joint = joints.of(block)
  return (
    <div class={`line${added ? " line-added" : joint ? " line-moved" : ""}`} data-right={joint?.number}>
      <span class="line-text">{blockLine(block)}</span>
      {joint && <span class="joint-note">{phrase`from message ${joint.message + 1}`}</span>}
    </div>
  )
}

export const After = ({ row, joints }: { readonly row: Row; readonly joints: Joints }) => {
  const { item } = row
  if (item.role !== "exchange")
    return (
      <>
        {item.blocks.map((block) => (
          <AfterBlock block={block} joints={joints} />
        ))}
      </>
    )
  return (
    <>
      {item.message.blocks.map((block) => (block.type === "call" ? null : <AfterBlock block={block} joints={joints} />))}
      {row.calls.map(({ call, outcome }) => (
        <div class="pair">
          <OutcomeMark kind={outcome.kind} generated={outcome.result?.synthetic !== undefined} />
          <div class="line">
            <span class="line-text">{callLine(call)}</span>
          </div>
          {outcome.result && <AfterBlock block={outcome.result} joints={joints} added={outcome.result.synthetic !== undefined} />}
        </div>
      ))}
      {item.reply?.blocks.map((block) => (
        <AfterBlock block={block} joints={joints} />
      ))}
    </>
  )
}
