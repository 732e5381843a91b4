/**
 * Names and words that agents use without having read them: keeping them is of no use. Written down from what languages,
 * tools and projects share, or counted over public projects (common-table.ts); what is common in one history only shows
 * there by itself.
 */
import type { TermKind } from "../../../text/terms.ts"
import { countedNames } from "./common-table.ts"

const names = `
package.json package-lock.json tsconfig.json node_modules README.md CHANGELOG.md index.ts index.js index.html main.py
main.go main.ts main.rs setup.py setup.cfg pyproject.toml requirements.txt Cargo.toml Cargo.lock go.mod go.sum
Makefile Dockerfile __init__.py __main__ __name__ conftest.py CLAUDE.md AGENTS.md /dev/null /bin/bash /bin/sh /usr/bin
/usr/bin/env /usr/local /usr/local/bin --help --version --oneline --stat --name-only --cached --force --verbose
--quiet --json --watch --coverage --save-dev --depth console.log console.error JSON.stringify JSON.parse process.env
process.exit Promise.all Object.keys Object.entries Array.isArray Math.max Math.min Math.floor Date.now fmt.Sprintf
fmt.Errorf fmt.Println fmt.Printf errors.New errors.Is context.Context context.Background testing.T t.Fatalf t.Errorf
t.Run time.Duration time.Now os.path os.path.join os.environ sys.exit sys.argv sys.path self.assertEqual str_replace
old_string new_string file_path isinstance ValueError TypeError KeyError RuntimeError FileNotFoundError README
github.com https://github.com localhost 127.0.0.1 utf-8 UTF-8 base64 sha256 python3 TypeScript JavaScript GitHub
useState useEffect className onClick toString forEach readFile writeFile
`
const words = `
this that with from have will your what when where which there their then than them they these those would could
should been being into over only also some such very just like more most other each same after before about above
below between because while true false null none undefined import export const return function class public private
static void async await string number boolean object array type interface extends implements default case break
continue else elif while switch catch finally throw throws error errors warning value values name names file files
line lines path paths test tests code data list item items user users message messages content text index count total
first last next start stop open close read write update updated create created delete remove removed added change
changes changed found using used make need needs check checks result results output input option options config
command commands print printf echo self args kwargs done todo note here there now let's sure okay please thanks good
well
`
/** What these hold comes with a language, its test runner or a library that everybody uses: `console.warn`. */
const libraries = `
console Math JSON Object Array Promise Number String Boolean Date Symbol Reflect Buffer process module document window
event React ReactDOM fs path os sys re json time datetime logging subprocess argparse unittest pytest np pd plt torch fmt
strings strconv errors context testing http filepath sync bytes bufio log io ioutil sort System Collections Arrays
Objects Optional Collectors vi jest expect std
`
const setOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((name) => name !== ""))
const common = setOf(`${names} ${words}`)
const shared = setOf(libraries)
const counted = setOf(countedNames)

/** Names of many projects may still be what this one is about. */
const shareOfCounted = 0.2

/**
 * How much of its worth a term keeps, 0 to 1: what everybody knows need not have been read. A file that is called like a
 * library (`errors.go`) is the project's own.
 */
export const novelty = (text: string, kind: TermKind): number => {
  if (common.has(text)) return 0
  // Most terms are plain words, and none of them was counted.
  if (kind === "word") return 1
  const dot = text.indexOf(".")
  if (dot > 0 && kind !== "file" && shared.has(text.slice(0, dot))) return 0
  return counted.has(text) ? shareOfCounted : 1
}
