/** The media that a provider accepts, as sentences: for the page of its profile and for the command line. */
import { phrase } from "../../model/index.ts"
import { grouped } from "./judge-media.ts"
import type { DocumentLimits, ImageLimits, KindLimits, MediaLimits } from "../profiles/profile.ts"

const listOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : phrase`${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`

type Demands = readonly (string | false)[]

const imageKindDemands = ({ types, bytes, measure = "encoded", count, addresses }: KindLimits): Demands => {
  if (types?.length === 0) return [phrase`Images are not sent: they are described in text.`]
  return [
    types !== undefined && phrase`Images are ${listOf(types)}, and declared as what they are.`,
    addresses === "reject" && phrase`Images are sent as data, not by their address.`,
    bytes !== undefined &&
      (measure === "encoded"
        ? phrase`Images have at most ${grouped(bytes)} bytes of base64 text.`
        : phrase`Images have at most ${grouped(bytes)} bytes.`),
    count !== undefined && phrase`A request has at most ${grouped(count)} images.`,
  ]
}

const documentKindDemands = ({ types, bytes, measure = "encoded", count, addresses }: KindLimits): Demands => {
  if (types?.length === 0) return [phrase`Documents are not sent: they are described in text.`]
  return [
    types !== undefined && phrase`Documents are ${listOf(types)}, and declared as what they are.`,
    addresses === "reject" && phrase`Documents are sent as data, not by their address.`,
    bytes !== undefined &&
      (measure === "encoded"
        ? phrase`Documents have at most ${grouped(bytes)} bytes of base64 text.`
        : phrase`Documents have at most ${grouped(bytes)} bytes.`),
    count !== undefined && phrase`A request has at most ${grouped(count)} documents.`,
  ]
}

const imageDemands = (limits: ImageLimits): Demands => {
  const { side, many, pixels } = limits
  return [
    ...imageKindDemands(limits),
    side !== undefined && phrase`Images have at most ${side} pixels per side.`,
    many !== undefined && phrase`In requests with more than ${many.above} images, they have at most ${many.side} pixels per side.`,
    pixels !== undefined && phrase`Images have at most ${grouped(pixels)} pixels.`,
  ]
}

const documentDemands = (limits: DocumentLimits): Demands => [
  ...documentKindDemands(limits),
  limits.pages !== undefined && phrase`PDFs have at most ${grouped(limits.pages)} pages.`,
  limits.encrypted === "reject" && phrase`PDFs are not encrypted.`,
]

export const mediaDemands = ({ image, document, imagesAndPages, requestBytes }: MediaLimits): readonly string[] =>
  [
    ...imageDemands(image),
    ...documentDemands(document),
    imagesAndPages !== undefined && phrase`A request has at most ${imagesAndPages} images and pages of PDFs together.`,
    requestBytes !== undefined && phrase`A request has at most ${grouped(requestBytes)} bytes.`,
  ].filter((demand) => demand !== false)
