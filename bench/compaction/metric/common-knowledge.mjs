/**
 * Names everybody knows: an agent writes them without having read them, so they need not survive. Most were counted over
 * unrelated public projects (count-common.mjs writes common-knowledge.txt). The few below were written down by us:
 * tools and flags of agents, which are in the tool definitions that the trajectories do not have, and names that
 * languages and projects share and none of the counted ones happens to use often enough.
 */
import { readFileSync } from "node:fs"

const names = `
LICENSE.md index.ts index.tsx main.ts main.py main.rs app.ts app.py App.tsx server.ts utils.ts utils.js utils.py
types.ts config.ts config.js settings.py setup.cfg pyproject.toml requirements.txt poetry.lock uv.lock Cargo.toml
Cargo.lock Makefile Dockerfile docker-compose.yml .gitignore .env.example .env.local .eslintrc.json eslint.config.js
.prettierrc vite.config.ts vitest.config.ts jest.config.js webpack.config.js next.config.js tailwind.config.js
tailwind.config.ts bun.lock bun.lockb yarn.lock pnpm-lock.yaml conftest.py __main__.py manage.py models.py views.py
urls.py tests.py test.py test.ts mod.rs lib.rs build.rs CLAUDE.md AGENTS.md GEMINI.md SKILL.md styles.css globals.css
output.txt output.json data.json schema.json result.json build.gradle pom.xml CMakeLists.txt index.css main.css
test.sh script.py script.sh /usr/local /tmp/test /usr/local/lib /home/user /var/log src/index.ts src/index.js
src/main.ts src/main.rs src/app.ts src/utils src/components src/types src/lib src/main src/test .git/config
.github/workflows node_modules/.bin n/a client/server origin/main feature/branch process.stderr fs.promises
fs.readdirSync import.meta import.meta.url import.meta.env useReducer querySelector flatMap includes charCodeAt isNaN
beforeAll afterAll toBe toEqual toHaveBeenCalled toHaveBeenCalledWith toContain toThrow toBeDefined toBeUndefined
toHaveLength toMatchObject mockResolvedValue mockReturnValue mockImplementation vi.fn vi.mock jest.fn jest.mock
describe.skip it.skip test.skip writeFileSync existsSync mkdirSync readdirSync spawnSync execSync os.listdir sys.path
datetime.now np.array np.zeros pd.DataFrame self.assertEqual self.assertTrue self.assertFalse self.assertRaises
unittest.TestCase pytest.raises pytest.mark pytest.mark.parametrize subprocess.run logger.warning logger.debug
__name__ __main__ __init__ __file__ __dict__ __class__ __str__ __repr__ __call__ __eq__ __len__ __getitem__ __doc__
isinstance ModuleNotFoundError setup_module test_main max_tokens PascalCase VSCode MySQL SQLite OpenAI ChatGPT
LangChain FastAPI NumPy PyTorch TensorFlow OAuth ReadMe LocalStorage macOS LinkedIn StringBuilder ArrayList
NullPointerException IOException IllegalArgumentException RuntimeException System.out.println System.out String.format
Arrays.asList List.of Map.of Optional.empty t.Run std::io std.io self.assert assert_eq unwrap_or to_string to_owned
as_str as_ref into_iter iter_mut is_some push_str read_to_string println! derive_more tool_use tool_result tool_call
tool_calls tool_call_id tool_use_id function_call function_call_output input_schema cache_control old_string
new_string replace_all output_mode head_limit command description subagent_type run_in_background str_replace
str_replace_editor view_range insert_line edit_file read_file search_files execute_command ask_followup_question
attempt_completion apply_patch update_plan todo_write TodoWrite WebFetch WebSearch NotebookEdit BashOutput
ExitPlanMode AskUserQuestion activeForm in_progress --oneline --stat --cached --staged --no-pager --graph --soft
--decorate --no-edit --message --since --until --all --line-number --ignore-case --files-with-matches --maxdepth --dev
--run --build --release --features --workspace --prod --production --input --no-cache --force-with-lease --filter
--noEmit --fix --write --strict --tail --yes --tb=short --no-verify --no-ff --exclude-dir --bail --upgrade --editable
--index-url --rm --detach --name-status http://localhost:3000 http://localhost:5173 http://localhost:8000
localhost:3000 localhost:8080 127.0.0.1 0.0.0.0 sha1 ES2020 ES2022 ESNext pip3 node18 node20 vue3 ipv4 ipv6 linux64
mp3 mp4 h264 UTF8 usize u8 i32 Float32Array 1st 2nd 3rd 10th gpt-4 gpt-4o gpt-4o-mini gpt-3.5-turbo claude-3-5-sonnet
5173 27017 2026 2027 1.0.0 0.1.0 2.0.0 0.0.1
`

const counted = readFileSync(new URL("common-knowledge.txt", import.meta.url), "utf8")
const known = new Set([...names.split(/\s+/), ...counted.split("\n")].filter((name) => name !== ""))

export const isCommonKnowledge = (item) => known.has(item)
