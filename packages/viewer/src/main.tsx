/** Where the page starts. */
import { render } from "preact"
import { App } from "./app/app.tsx"
import { changeLanguage, chooseLanguage, type Language } from "./app/language.ts"
import { droppedSource, embeddedSource } from "./source/embedded.ts"
import { gatewaySource } from "./source/gateway.ts"
import { servedSource } from "./source/served.ts"
import type { Source } from "./source/source.ts"

const { dataset } = document.documentElement
const sources = { served: servedSource, gateway: gatewaySource, saved: () => embeddedSource() }
const make = sources[(dataset["source"] ?? "") as keyof typeof sources] as (() => Source | undefined) | undefined
const source = make?.() ?? droppedSource
const root = document.getElementById("page")
if (root === null) throw new Error("Expected an element with the id page")

const draw = (language: Language): void =>
  render(<App key={language} source={source} language={language} onLanguage={(next) => void changeLanguage(next).then(draw)} />, root)

draw(await chooseLanguage(dataset["language"]))
