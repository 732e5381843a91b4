/**
 * What every store must do. A store's own test calls `storeConformance` with a way to open several stores on one home,
 * as several processes would.
 */
import { afterEach, beforeEach, describe } from "vitest"
import { appendConformance } from "./conformance/appends.ts"
import { contentConformance } from "./conformance/contents.ts"
import { dumpConformance } from "./conformance/dumps.ts"
import { faultConformance } from "./conformance/faults.ts"
import { gapConformance } from "./conformance/gaps.ts"
import { importConformance } from "./conformance/imports.ts"
import { leaseConformance } from "./conformance/leases.ts"
import { listConformance } from "./conformance/listing.ts"
import { parentConformance } from "./conformance/parents.ts"
import { pathConformance } from "./conformance/paths.ts"
import { removalConformance } from "./conformance/removal.ts"
import { sharingConformance } from "./conformance/sharing.ts"
import { Stage, type StoreHome } from "./conformance/stage.ts"
import { summaryConformance } from "./conformance/summaries.ts"

export { refusal, say, type StoreHome, wordsOf } from "./conformance/stage.ts"

export const storeConformance = (name: string, makeHome: () => Promise<StoreHome>): void => {
  describe(`${name}: a store`, () => {
    const stage = new Stage(makeHome)
    beforeEach(() => stage.setUp())
    afterEach(() => stage.tearDown())
    appendConformance(stage)
    pathConformance(stage)
    gapConformance(stage)
    summaryConformance(stage)
    leaseConformance(stage)
    listConformance(stage)
    parentConformance(stage)
    importConformance(stage)
    removalConformance(stage)
    dumpConformance(stage)
    faultConformance(stage)
    contentConformance(stage)
    sharingConformance(stage)
  })
}
