/**
 * Names everybody knows: an agent writes them without having read them, so they need not survive. Written by us from
 * what languages, tools and projects share; it stands where a count over unrelated repositories would stand.
 */
const names = `
package.json package-lock.json tsconfig.json node_modules README.md CHANGELOG.md LICENSE.md CONTRIBUTING.md index.ts
index.js index.tsx index.html index.d.ts main.ts main.js main.py main.go main.rs app.ts app.js app.py App.tsx
server.ts server.js utils.ts utils.js utils.py types.ts config.ts config.js config.json settings.json settings.py
setup.py setup.cfg pyproject.toml requirements.txt poetry.lock uv.lock Cargo.toml Cargo.lock go.mod go.sum Makefile
Dockerfile docker-compose.yml .gitignore .env.example .env.local .eslintrc.json eslint.config.js .prettierrc
vite.config.ts vitest.config.ts jest.config.js webpack.config.js next.config.js tailwind.config.js tailwind.config.ts
bun.lock bun.lockb yarn.lock pnpm-lock.yaml conftest.py __init__.py __main__.py manage.py models.py views.py urls.py
tests.py test.py test.ts test.js mod.rs lib.rs build.rs CLAUDE.md AGENTS.md GEMINI.md SKILL.md style.css styles.css
globals.css output.txt output.json data.json schema.json result.json build.gradle pom.xml CMakeLists.txt index.css
main.css test.txt test.sh script.py script.sh script.js example.com /dev/null /usr/bin /usr/local /usr/local/bin
/bin/bash /bin/sh /usr/bin/env /etc/passwd /etc/hosts /tmp/test /usr/lib /usr/local/lib /usr/bin/python
/usr/bin/python3 /home/user /var/log src/index.ts src/index.js src/main.ts src/main.rs src/app.ts src/utils
src/components src/types src/lib src/main src/test .git/config .github/workflows node_modules/.bin and/or yes/no n/a
true/false on/off read/write input/output client/server application/json text/plain text/html image/png image/jpeg
text/event-stream multipart/form-data origin/main origin/master feature/branch try/catch if/else async/await
console.log console.error console.warn console.info JSON.stringify JSON.parse Object.keys Object.values Object.entries
Object.assign Object.freeze Array.isArray Array.from Promise.all Promise.resolve Promise.reject Promise.race Math.max
Math.min Math.floor Math.ceil Math.round Math.random Math.abs Date.now Number.isInteger Number.parseInt process.env
process.exit process.cwd process.argv process.stdout process.stderr process.platform process.on module.exports
path.join path.resolve path.dirname path.basename path.relative path.extname fs.readFile fs.readFileSync fs.writeFile
fs.writeFileSync fs.existsSync fs.mkdirSync fs.promises fs.readdirSync fs.statSync fs.unlinkSync import.meta
import.meta.url import.meta.env document.getElementById document.querySelector document.createElement window.location
event.preventDefault e.preventDefault e.target event.target useState useEffect useMemo useCallback useRef useContext
useReducer createContext React.FC React.ReactNode className onClick onChange onSubmit defaultValue addEventListener
removeEventListener querySelector getElementById createElement innerHTML textContent setTimeout clearTimeout
setInterval clearInterval toString toLowerCase toUpperCase indexOf lastIndexOf startsWith endsWith forEach flatMap
findIndex hasOwnProperty includes charCodeAt toISOString toLocaleString parseInt parseFloat isNaN localStorage
sessionStorage statusCode contentType userId userName fileName filePath errorMessage createdAt updatedAt beforeEach
afterEach beforeAll afterAll toBe toEqual toHaveBeenCalled toHaveBeenCalledWith toContain toThrow toBeDefined
toBeUndefined toHaveLength toMatchObject mockResolvedValue mockReturnValue mockImplementation vi.fn vi.mock jest.fn
jest.mock describe.skip it.skip test.skip readFile writeFile readFileSync writeFileSync existsSync mkdirSync
readdirSync spawnSync execSync os.path os.path.join os.path.exists os.path.dirname os.path.abspath os.path.basename
os.environ os.environ.get os.getcwd os.makedirs os.listdir sys.argv sys.exit sys.path sys.stdout sys.stderr
sys.modules json.loads json.dumps json.load json.dump re.match re.search re.sub re.compile re.findall time.time
time.sleep datetime.now datetime.datetime np.array np.zeros pd.DataFrame self.assertEqual self.assertTrue
self.assertFalse self.assertRaises unittest.TestCase pytest.raises pytest.mark pytest.mark.parametrize pytest.fixture
subprocess.run subprocess.PIPE logging.getLogger logger.info logger.error logger.warning logger.debug __name__
__main__ __init__ __file__ __dict__ __class__ __str__ __repr__ __call__ __eq__ __len__ __getitem__ __doc__ isinstance
ValueError TypeError KeyError IndexError AttributeError ImportError ModuleNotFoundError RuntimeError
NotImplementedError FileNotFoundError AssertionError SyntaxError StopIteration ZeroDivisionError DeprecationWarning
UserWarning max_length setup_module test_main run_tests file_path file_name user_id created_at updated_at
error_message status_code max_tokens snake_case camelCase PascalCase TypeScript JavaScript GitHub GitLab VSCode DevOps
PostgreSQL MySQL SQLite MongoDB GraphQL OpenAI ChatGPT LangChain FastAPI NumPy PyTorch TensorFlow WebSocket OAuth
JSON.stringify ReadMe LocalStorage macOS iPhone YouTube LinkedIn StackOverflow BigInt StringBuilder ArrayList HashMap
NullPointerException IOException IllegalArgumentException RuntimeException System.out.println System.out String.format
Arrays.asList List.of Map.of Optional.empty public_key private_key fmt.Sprintf fmt.Println fmt.Printf fmt.Errorf
fmt.Fprintf err.Error errors.New errors.Is errors.As context.Context context.Background strings.Contains strings.Split
strings.TrimSpace strings.HasPrefix strings.Join strings.Builder os.Args os.Exit os.ReadFile os.WriteFile os.Stdout
os.Stderr os.Getenv http.Handler http.StatusOK http.ResponseWriter http.Request http.Client json.Marshal
json.Unmarshal time.Duration time.Second time.Now sync.Mutex sync.WaitGroup testing.T t.Run t.Fatal t.Fatalf t.Error
t.Errorf t.Helper io.Reader io.Writer io.EOF log.Printf log.Fatal filepath.Join strconv.Itoa std::io std.io
self.assert assert_eq unwrap_or to_string to_owned as_str as_ref into_iter iter_mut is_empty is_some is_none push_str
read_to_string println! derive_more tool_use tool_result tool_call tool_calls tool_call_id tool_use_id function_call
function_call_output input_schema cache_control file_path old_string new_string replace_all output_mode head_limit
command description subagent_type run_in_background str_replace str_replace_editor view_range insert_line create_file
edit_file read_file write_file list_files search_files execute_command ask_followup_question attempt_completion
apply_patch update_plan todo_write TodoWrite WebFetch WebSearch NotebookEdit BashOutput ExitPlanMode AskUserQuestion
activeForm in_progress --help --version --verbose --quiet --force --recursive --oneline --stat --cached --staged
--name-only --no-pager --graph --amend --hard --soft --abbrev --decorate --no-edit --message --author --since --until
--porcelain --short --diff --all --branch --bare --include --exclude --line-number --ignore-case --files-with-matches
--maxdepth --type --name --save-dev --dev --global --watch --coverage --reporter --run --test --build --release
--features --workspace --prod --production --port --host --config --output --input --format --json --dry-run
--no-cache --force-with-lease --set-upstream --delete --tags --depth --filter --limit --noEmit --pretty --fix --check
--write --strict --tail --lines --silent --yes --interactive --tb=short --no-verify --no-ff --rebase --exclude-dir
--color --bail --upgrade --user --editable --no-deps --index-url --rm --detach --volume --network --name-status
http://localhost https://localhost http://localhost:3000 http://localhost:8080 http://localhost:5173
http://localhost:8000 http://127.0.0.1 https://github.com https://example.com http://example.com
https://www.google.com localhost:3000 localhost:8080 127.0.0.1 0.0.0.0 utf-8 UTF-8 utf8mb4 base64 sha256 sha512 sha1
md5sum ISO-8859-1 ES2020 ES2022 ESNext es2015 python3 pip3 node18 node20 vue3 http2 ipv4 ipv6 x86_64 amd64 arm64 win32
linux64 mp3 mp4 h264 UTF8 uint8 uint16 uint32 uint64 int16 int32 int64 float32 float64 usize u8 i32 Base64 Uint8Array
Float32Array Int32Array 1st 2nd 3rd 10th step1 step2 test1 test2 part1 part2 gpt-4 gpt-4o gpt-4o-mini gpt-3.5-turbo
claude-3-5-sonnet HTTP/1.1 HTTP/2 100 200 201 204 301 302 304 400 401 403 404 405 409 422 429 500 501 502 503 504 1000
1024 2048 4096 8192 10000 100000 1000000 3000 3001 4000 5000 5173 5432 6379 8000 8080 8443 9000 9090 27017 0.00 1.00
0.01 0.05 0.10 0.25 0.50 0.75 0.95 0.99 100.00 255 256 512 128 300 120 150 180 250 365 600 900 999 1234 12345 123 1900
1970 2000 2001 2010 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026 2027 3600 86400 60000 30000 5000 644
755 777 0644 0755 1.0.0 0.1.0 2.0.0 0.0.1
`

const known = new Set(names.split(/\s+/).filter((name) => name !== ""))

export const isCommonKnowledge = (item) => known.has(item)
