/** What a provider accepts of media, as sentences: for the page of its profile and for the command line. */
import { grouped } from "./judge-media.ts"
import type { DocumentLimits, ImageLimits, KindLimits, MediaLimits } from "../profiles/profile.ts"

const listOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const kindDemands = (name: string, limits: KindLimits): readonly (string | false)[] => {
  const { types, bytes, measure = "encoded", count, addresses } = limits
  if (types?.length === 0) return [`${name}s are not sent: they are described in text.`]
  const unit = measure === "encoded" ? "bytes of base64 text" : "bytes"
  return [
    types !== undefined && `${name}s are ${listOf(types)}, and declared as what they are.`,
    addresses === "reject" && `${name}s are sent as data, not by their address.`,
    bytes !== undefined && `${name}s have at most ${grouped(bytes)} ${unit}.`,
    count !== undefined && `A request has at most ${grouped(count)} ${name.toLowerCase()}s.`,
  ]
}

const imageDemands = (limits: ImageLimits): readonly (string | false)[] => {
  const { side, many, pixels } = limits
  return [
    ...kindDemands("Image", limits),
    side !== undefined && `Images have at most ${side} pixels per side.`,
    many !== undefined && `In requests with more than ${many.above} images, they have at most ${many.side} pixels per side.`,
    pixels !== undefined && `Images have at most ${grouped(pixels)} pixels.`,
  ]
}

const documentDemands = (limits: DocumentLimits): readonly (string | false)[] => [
  ...kindDemands("Document", limits),
  limits.pages !== undefined && `PDFs have at most ${grouped(limits.pages)} pages.`,
  limits.encrypted === "reject" && "PDFs are not encrypted.",
]

export const mediaDemands = ({ image, document, imagesAndPages, requestBytes }: MediaLimits): readonly string[] =>
  [
    ...imageDemands(image),
    ...documentDemands(document),
    imagesAndPages !== undefined && `A request has at most ${imagesAndPages} images and pages of PDFs together.`,
    requestBytes !== undefined && `A request has at most ${grouped(requestBytes)} bytes.`,
  ].filter((demand) => demand !== false)
