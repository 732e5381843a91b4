/**
 * Limits on sums: how many images, documents, pages and bytes one request may have. What is over them goes, the oldest
 * first.
 *
 * A history only grows at its end, and every change further up costs the provider's prompt cache. So media goes in
 * batches: a limit that is exceeded is brought down to three quarters of it, and then nothing changes until it is
 * exceeded again. That needs no memory: the history is walked from its beginning as it grew, which gives the same
 * decisions every time.
 *
 *   limit 8:   1 2 3 4 5 6 7 8   ·   9 arrives → 4 5 6 7 8 9   ·   10 and 11 change nothing   ·   12 → 7 8 9 10 11 12
 *
 * The limit on pixels among many images works alike: images above it go where they are old; where a new one is above
 * it, the oldest images go instead, so that the one somebody asks about now stays.
 */
import type { MediaLimits } from "../profiles/profile.ts"
import { grouped, type MediaFault } from "./judge-media.ts"

export interface CountedMedia {
  readonly kind: "image" | "document"
  /** Pages of a PDF; one for anything else. */
  readonly units: number
  /** As they are sent; none for an address. */
  readonly bytes: number
  /** The longer side of an image, in pixels; 0 where it is unknown. */
  readonly side: number
}

/** Kept free for what is sent around the history: tools, instructions, parameters. */
const reserved = 1 / 16

const lowWater = (limit: number): number => Math.floor((limit * 3) / 4)

/** Bytes that media and text of a request may have together. */
export const historyBytes = (requestBytes: number): number => Math.floor(requestBytes * (1 - reserved))

/** Whether no limit on a sum can be exceeded: then nobody has to look how the history grew. Text is not counted. */
export const isWithin = (media: readonly CountedMedia[], limits: MediaLimits): boolean => {
  let [images, units, bytes, side] = [0, 0, 0, 0]
  for (const each of media) {
    if (each.kind === "image") images++
    units += each.units
    bytes += each.bytes
    if (each.side > side) side = each.side
  }
  const { image, document, imagesAndPages = units, requestBytes } = limits
  const { count = images, many } = image
  return (
    images <= count &&
    media.length - images <= (document.count ?? media.length) &&
    units <= imagesAndPages &&
    (many === undefined || images <= many.above || side <= many.side) &&
    // Text of half a request is beyond every context window: only beside much media is it worth counting.
    (requestBytes === undefined || bytes * 2 <= historyBytes(requestBytes))
  )
}

interface Kept {
  readonly media: CountedMedia
  isGone: boolean
}

/** One sum that is limited: what weighs in it, how much is there, and from where on the oldest may be found. */
class Sum {
  readonly weigh: (media: CountedMedia) => number
  total = 0
  oldest = 0
  newest = -1

  constructor(weigh: Sum["weigh"]) {
    this.weigh = weigh
  }
}

/** Linear in what is added, whatever it is: for each sum, the search for the oldest only goes forward. */
export class MediaBudget {
  readonly #limits: MediaLimits
  readonly #kept: Kept[] = []
  readonly #images = new Sum(({ kind }) => (kind === "image" ? 1 : 0))
  readonly #documents = new Sum(({ kind }) => (kind === "document" ? 1 : 0))
  readonly #units = new Sum(({ units }) => units)
  readonly #bytes = new Sum(({ bytes }) => bytes)
  readonly #large: Sum
  #text = 0
  /** Why each one that went had to go. */
  readonly dropped = new Map<CountedMedia, MediaFault>()

  constructor(limits: MediaLimits) {
    this.#limits = limits
    const side = limits.image.many?.side ?? Number.POSITIVE_INFINITY
    this.#large = new Sum((media) => (media.kind === "image" && media.side > side ? 1 : 0))
  }

  get #sums(): readonly Sum[] {
    return [this.#images, this.#documents, this.#units, this.#bytes, this.#large]
  }

  /** Text that comes after what was added so far. */
  addText(bytes: number): void {
    this.#text += bytes
    this.#limitBytes()
  }

  add(media: CountedMedia): void {
    const index = this.#kept.push({ media, isGone: false }) - 1
    for (const sum of this.#sums) {
      const weight = sum.weigh(media)
      sum.total += weight
      if (weight > 0) sum.newest = index
    }
    const { image, document, imagesAndPages } = this.#limits
    this.#limitCount(this.#images, "image", image.count)
    this.#limitCount(this.#documents, "document", document.count)
    if (imagesAndPages !== undefined) this.#limitPages(imagesAndPages)
    if (image.many) this.#limitSides(image.many)
    this.#limitBytes()
  }

  #limitCount(sum: Sum, kind: CountedMedia["kind"], limit: number | undefined): void {
    if (limit === undefined) return
    this.#limit(sum, limit, () => ({
      rule: "media-limit",
      found: `the request has more than ${grouped(limit)} ${kind}s; this is one of the oldest`,
      reason: `a request may have ${grouped(limit)} ${kind}s, and newer ones came`,
    }))
  }

  #limitPages(limit: number): void {
    this.#limit(this.#units, limit, () => ({
      rule: "media-limit",
      found: `the request has more than ${grouped(limit)} images and PDF pages; this is one of the oldest`,
      reason: `a request may have ${grouped(limit)} images and PDF pages, and newer ones came`,
    }))
  }

  #limitBytes(): void {
    const { requestBytes } = this.#limits
    if (requestBytes === undefined) return
    const fault = (): MediaFault => ({
      rule: "media-limit",
      found: `the request has more than ${grouped(requestBytes)} bytes; this is one of the oldest media in it`,
      reason: `a request may have ${grouped(requestBytes)} bytes, and more came`,
    })
    this.#limit(this.#bytes, historyBytes(requestBytes), fault, this.#text)
  }

  /** Drops the oldest that weigh anything, down to the low-water mark; the newest only where it is too much alone. */
  #limit(sum: Sum, limit: number, fault: () => MediaFault, beside = 0): void {
    if (sum.total + beside <= limit) return
    const reason = fault()
    while (sum.total + beside > lowWater(limit) && sum.oldest < sum.newest) {
      const kept = this.#kept[sum.oldest++] as Kept
      if (sum.weigh(kept.media) > 0) this.#drop(kept, reason)
    }
    const newest = this.#kept[sum.newest]
    if (newest && sum.total + beside > limit) this.#drop(newest, reason)
  }

  #limitSides({ above, side }: { readonly above: number; readonly side: number }): void {
    if (this.#images.total <= above || this.#large.total === 0) return
    const past = this.#imagesBefore(lowWater(above))
    const large: MediaFault = {
      rule: "media-limit",
      found: `the image has more than ${side} pixels per side, which is not accepted beside more than ${above} images`,
      reason: `a request with more than ${above} images may have images of ${side} pixels per side, and newer ones came`,
    }
    for (const kept of past) if (this.#large.weigh(kept.media) > 0) this.#drop(kept, large)
    if (this.#images.total <= above || this.#large.total === 0) return
    const crowd: MediaFault = {
      rule: "media-limit",
      found: `the request has more than ${above} images and one above ${side} pixels per side; this is one of the oldest`,
      reason: `a request with an image above ${side} pixels per side may have ${above} images, and newer ones came`,
    }
    for (const kept of past) this.#drop(kept, crowd)
  }

  /** The images that are still there, but for so many of the newest. */
  #imagesBefore(newest: number): readonly Kept[] {
    const sum = this.#large
    while (this.#kept[sum.oldest]?.isGone === true) sum.oldest++
    return this.#kept
      .slice(sum.oldest)
      .filter(({ media, isGone }) => media.kind === "image" && !isGone)
      .slice(0, -newest)
  }

  #drop(kept: Kept, fault: MediaFault): void {
    if (kept.isGone) return
    kept.isGone = true
    for (const sum of this.#sums) sum.total -= sum.weigh(kept.media)
    this.dropped.set(kept.media, fault)
  }
}
