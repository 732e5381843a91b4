/**
 * What all adapters do between reading an SDK's list and writing it again: settle it, and bend it to a provider where one
 * is named. The list stays in the SDK's own shape, so only demands on its order, ids, names and emptiness are met here, and
 * limits on media; how media, thinking and unknown fields reach the wire is the SDK's own business, and it knows its
 * parts better.
 */
import { type Conversation, assertOptions, type OptionNames, type Report, type Transcript } from "../model/index.ts"
import {
  fit,
  type MediaLimits,
  type PolicyOptions,
  type Profile,
  type ProfileName,
  resolvePolicies,
  resolveProfile,
  settle,
} from "../rules/index.ts"
import { type Loaded, type Store, StoreError } from "../store/index.ts"

export interface AdapterOptions extends PolicyOptions {
  /** The provider behind the SDK: its demands on ids, names and order are met too. Default: as the adapter says. */
  readonly profile?: Profile | ProfileName
  /** Told what was changed, once per list that had to be changed. */
  readonly onRepair?: (report: Report) => void
}

/** Throws for options that no adapter has; `names`: those that this one has beyond the others. */
export const assertAdapter = <Options extends AdapterOptions>(
  options: Options,
  names?: OptionNames<Omit<Options, keyof AdapterOptions>>,
): void => {
  resolvePolicies(options)
  assertOptions<object>(options, { profile: true, onRepair: true, policies: true, ...names })
}

/** Where our own requests describe media as text, an SDK may have another way. */
const mediaOf = ({ media }: Profile): MediaLimits => (media.image.types?.length === 0 ? { image: {}, document: {} } : media)

const atHome = (profile: Profile, format: string): Profile => ({
  ...profile,
  format,
  origins: [...profile.origins, format],
  resultMedia: "inside",
  assistantMedia: "allow",
  media: mediaOf(profile),
  documentText: "optional",
  thinking: "plain",
  unknownFields: "ignore",
  trimFinal: false,
  wire: {},
})

interface SettledFor {
  readonly conversation: Conversation
  readonly report: Report
}

/** A valid conversation of the transcript, and what was done to get there. Reports nothing to the caller yet. */
export const settleFor = (transcript: Transcript, options: AdapterOptions): SettledFor => {
  const { profile } = options
  const policies = resolvePolicies(options)
  const { conversation, report } = settle(transcript, { policies })
  // Nothing was said yet: there is nothing to bend, and no filler to be put there.
  if (profile === undefined || transcript.messages.length === 0) return { conversation, report }
  const fitted = fit(conversation, atHome(resolveProfile(profile), transcript.format), { policies })
  const { entries } = report
  return { conversation: fitted.conversation, report: { entries: [...entries, ...fitted.entries], losses: [] } }
}

/** Tells the caller, where there is something to tell. */
export const tell = (report: Report, { onRepair }: AdapterOptions): void => {
  if (report.entries.length > 0) onRepair?.(report)
}

/** Undefined while nobody has written it. */
export const loadIfThere = async (store: Store, id: string): Promise<Loaded | undefined> => {
  try {
    return await store.load(id)
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") return undefined
    throw error
  }
}

/** Makes sure that there is one; another process may be doing the same. */
export const ensureConversation = async (store: Store, id: string): Promise<void> => {
  try {
    await store.create({ id })
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === "exists")) throw error
  }
}
