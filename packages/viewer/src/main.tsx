/** Where the page starts. */
import { render } from "preact"
import { App } from "./app/app.tsx"
import { chooseLanguage } from "./app/language.ts"
import { droppedSource, embeddedSource } from "./source/embedded.ts"
import { servedSource } from "./source/served.ts"

const isServed = document.documentElement.dataset["source"] === "served"
const source = embeddedSource() ?? (isServed ? servedSource() : droppedSource)
const root = document.getElementById("page")
if (root === null) throw new Error("Expected an element with the id page")
await chooseLanguage(document.documentElement.dataset["language"])
render(<App source={source} />, root)
