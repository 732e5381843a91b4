/**
 * Names that are in at least 4 of 22 unrelated public projects, counted by
 * bench/compaction/metric/count-common.mjs; not written by hand.
 */
export const countedNames = `
+refs/heads --abbrev --abbrev-ref --amend --author --branch --cache --check --clean --color --config --config-file
--count --data --debug --delete --depth --directory --dry-run --exclude --file --force --format --full --global --hard
--help --host --hostname --import --include --init --interactive --jobs --json --limit --list --listen --mode --name
--name-only --no-color --null --offset --output --owner --path --porcelain --port --prefix --pretty --quiet --rebase
--recursive --remaining --remote --reporter --root --set-upstream --short --silent --sort --status --tags --target
--timeout --token --trace --track --type --user --verbose --verify --version --watch -ticker.C ../foo ../lib ../types
./Button ./bar ./config ./foo ./index.js ./test ./tmp ./types ./utils /a/b/c /a/b/c/d /bar/baz /bar/foo /bin/bash
/bin/sh /dev/null /foo/bar /foo/bar/baz /foo/baz /path/to /path/to/file /some/path /usr/bin /usr/bin/env
/usr/local/bin 0-9A-F 0-9a-f 0-9a-fA-F 0-alpha 0-based 0-beta 0-pre 0o600 0o644 0o755 0o777 0x00000001 0x00000002
0x0001 0x0002 0x0020 0x0100 0x0200 0x100 0x1000 0x10000 0x1234 0x2000 0x20000 0x4000 0x8000 0xD800 0xDC00 0xFEFF
0xFFFF 0xffff 0xffffffff 1-based 1-indexed 100-continue 1000ms 1000px 100ms 100px 100vh 100vw 1024px 125em 135deg
150px 16-bit 180deg 2-byte 2-digit 2-dimensional 2-tuple 200ms 200px 20bar 250px 25rem 26bar 2Fbar 3-digit 3-tuple
300ms 32-bit 32bit 3rd-party 400px 45deg 500ms 500px 6-digit 600px 64-bit 64bit 7-bit 75rem 768px 8-bit 90deg
@babel/core @babel/preset-env @types/node @typescript-eslint/no-unused-vars A-Z0-9 A-Za-z0-9 AES256 AF_INET AF_UNIX
AbortController AbortSignal America/Chicago America/Los_Angeles America/New_York Apache-2 Array.from Array.isArray
Array.prototype.forEach Array.prototype.slice.call ArrayLike ArrowDown ArrowLeft ArrowRight AsciiDoc AssertionError
AssignmentExpression AttributeError BSD-3-Clause Base64 BaseClass BaseException BigInt BigInteger BinaryExpression
BlinkMacSystemFont Buffer.from ButtonProps BytesIO CGI/1.1 CHANGELOG.md CONTENT_LENGTH CONTENT_TYPE CallExpression
CamelCase CentOS CircleCI ClassName CommonJS ConnectionError Content-MD5 ContentType CookieJar CustomEvent
DEFAULT_TIMEOUT DOMContentLoaded Date.now DateTime DefaultValue DeprecationWarning DigitalOcean DocumentFragment
DrawerProps ES2015 ElementType Enable/disable EventEmitter ExitStatus FF0000 FileInfo FileList FileName
FileNotFoundError FileReader FileType Float64 FooBar FormData FreeBSD GATEWAY_INTERFACE GITHUB_TOKEN GetOptions GitHub
GitLab HTML5 HTMLAnchorElement HTMLButtonElement HTMLDivElement HTMLImageElement HTMLInputElement HTMLSelectElement
HTMLTableCellElement HTMLTableElement HTMLTableRowElement HTMLTableSectionElement HTMLTextAreaElement HTTP/1 HTTP/1.0
HTTP/1.1 HTTP/2 HTTP2 HTTPS_PROXY HttpClient HttpOnly HttpResponse ISO-8859-1 ISO8601 IdentityFile ImportDeclaration
ImportError IndexError InputProps InstanceType InternalError IntersectionObserver IntersectionObserverEntry
Intl.DateTimeFormat Intl.NumberFormat JSON.parse JSON.stringify JavaScript KeyError KeyPair KeyboardEvent
KeyboardInterrupt LAST_MODIFIED LC_ALL LICENSE.txt Latin-1 LineTerminator ListItem ListProps LogLevel LookupError
MacPorts MarshalJSON Math.PI Math.abs Math.ceil Math.cos Math.floor Math.log Math.max Math.min Math.pow Math.random
Math.round MemberExpression MetaData ModuleType MongoDB MouseEvent MutableMapping MyClass MyComponent MyModel MyObject
MyString MyType NODE_ENV NOT_FOUND NO_COLOR NO_ERROR NameError NetBSD NoReturn Node.DOCUMENT_NODE Node.ELEMENT_NODE
Node.js NodeJS NodeList NoneType NotFound NotFoundError NotImplemented NotImplementedError Number.MAX_SAFE_INTEGER
Number.MIN_SAFE_INTEGER Number.isInteger Number.isNaN NumberField Object.assign Object.create Object.defineProperties
Object.defineProperty Object.entries Object.freeze Object.fromEntries Object.getOwnPropertyDescriptor
Object.getOwnPropertyNames Object.getPrototypeOf Object.is Object.isFrozen Object.keys Object.prototype
Object.prototype.hasOwnProperty Object.prototype.hasOwnProperty.call Object.prototype.toString
Object.prototype.toString.call Object.setPrototypeOf Object.values ObjectExpression OpenBSD OpenSSH OpenSSL
OptionParser OrderedDict OverflowError PATH_INFO PaginationProps ParseError ParseResult ParserError PasswordInput
PhantomJS PostgreSQL PowerShell Promise.all Promise.allSettled Promise.reject Promise.resolve QUERY_STRING README.md
REMOTE_ADDR REQUEST_METHOD REQUEST_URI RFC3339 RFC822 RLIMIT_NOFILE RadioGroup RangeError React.ComponentType
React.ElementType React.Fragment React.HTMLAttributes React.MouseEvent React.ReactElement React.ReactNode
React.createElement ReactElement ReactNode ReadFile ReferenceError RegExp RequestBody ResizeObserver ReturnType
RuntimeError RuntimeWarning SCRIPT_NAME SERVER_NAME SERVER_PROTOCOL SERVER_SOFTWARE SHA-1 SHA-256 SHA256 SIGUSR1
SOCK_STREAM SSL/TLS SameSite SelectProps SemVer ServerName ShareAlike SomeClass SourceFile StackOverflow StopIteration
String.fromCharCode String.fromCodePoint StringIO StringLiteral Symbol.for Symbol.iterator Symbol.toStringTag
SyntaxError SystemExit TABLE_NAME TCP/IP TLSv1 TYPE_CHECKING TableCell TableHead TableProps TableRow TestBase TestCase
TestConfig TestController TestError TestInterface TextDecoder TextEncoder TextField TextInput TextInputProps
ThreadPool TimeoutError ToString TypeError TypeErrors TypeName TypeScript TypeVar URLSearchParams USER_AGENT UTF-16
UTF-8 Uint16 Uint8Array UnaryExpression UnicodeDecodeError UnicodeEncodeError UnionType UserName Value1 ValueError
WeakMap WeakSet WebKit WebSocket WebSockets XDG_CONFIG_HOME XMLHttpRequest ZeroDivisionError ZipFile __esModule a-f0-9
a-fA-F0-9 a-z0-9 a-zA-Z0-9 a.b.c a.data a.index a.join a.length a.map a.name a.size a.slice a.split a.toString a.type
a.value a.valueOf a/b/c a/foo aarch64 abc.abstractmethod abc123 abortController abs_path absolutePath access_token
action_name actual.length add/remove addAll addClass addEvent addEventListener addFile addListener added/removed
afterEach alias_name alignItems allowEmpty altKey amd64 and/or animationDuration animationIterationCount apiKey apiURL
api_key app.js appName appendChild appendTo application/atom+xml application/ecmascript application/javascript
application/json application/octet-stream application/pdf application/rss+xml application/x-ecmascript
application/x-www-form-urlencoded application/xhtml+xml application/xml application/zip applyChanges arg.length
arg.name argName arg_name args.extend args.join args.length args.pop args.push args.slice arguments.length ariaLabel
arm64 arr.length arr.push arr.slice array.indexOf array.length array2 asString assert.ok async/await attr.name
attr.value attr1 attr2 attrName attrValue attr_name attributeName attributeType attributeValue attrs.length
author.name author_id author_name autoComplete autoFocus b.Fatal b.ResetTimer b.data b.index b.length b.name b.start
b.toString b.type b.value b.valueOf b64decode b64encode backgroundColor backgroundImage backgroundPosition
backgroundRepeat backgroundSize bar.baz bar.com bar.foo bar.txt bar/baz bar/foo base-64 base2 base64 base64-encoded
baseClass baseConfig baseDir baseName basePath baseURL baseUrl base_name base_path base_url baz.txt before/after
beforeEach bestMatch bgColor bigInt bindType blank_issues_enabled blockSize block_size body.body body.length
borderBottom borderBottomColor borderColor borderLeftWidth borderRadius borderTop borderTopWidth borderWidth
bower_components boxShadow boxSizing buf.Bytes buf.String buf.write bufferSize buffer_size bufio.NewReader
bufio.NewScanner buildId byteLength bytes.Buffer bytes.Contains bytes.Equal bytes.HasPrefix bytes.NewBuffer
bytes.NewBufferString bytes.NewReader bytes.TrimSpace bzip2 c.Args c.Close c.default c.kind c.length c.name c.start
c.text c.value c.values cache.clear cache.get cache.set cacheEntry cacheKey cache_path callExpression camelCase
camelCased cancelAnimationFrame cancelLabel caseInsensitive caseSensitive cellPadding cellSpacing cert.pem
chain.from_iterable charCode check1 check2 checkResult child.name child.parent child1 child2 childList childNode
childNodes child_process children.length chunk2 chunkSize className classNames class_name cleanUp clearCache
clearInterval clearTimeout client.connect clientId clientX clientY clipPath clipRule cloneElement cloneNode
closeButton cls.__name__ cmd.Env cmd.Run cmd.Stderr cmd.Stdin cmd.Stdout cmd.exe colSpan collections.abc
collections.deque collections.namedtuple colorScheme columnCount columnNumber commandName commonName compilerOptions
config.get config.json config.options configFile configFiles configPath config_file config_path conn.Write conn.close
conn2 connection.close console.error console.info console.log console.warn contact_links content.length content.split
content1 content2 contentEditable contentFile contentLength contentType contentTypes content_length content_type
context.Background context.CancelFunc context.Context context.TODO context.WithTimeout context1 contextKey
contextObject contextlib.contextmanager controller.abort cookieName copyTo crc32 createCache createComment
createConfig createContext createElement create_index createdAt created_at cssFloat ctrlKey ctx.Done ctx.Err
currentColor currentDate currentDir currentFile currentIndex currentLocale currentNode currentPage currentPath
currentState currentTarget currentTime currentToken currentValue current_path current_time customer.name customer_id
d.items d.name d.txt d.update dangerouslySetInnerHTML data.append data.data data.find data.get data.id data.items
data.length data.map data.pop data.replace data.slice data.split data.type data1 data2 data3 dataTransfer dataType
data_len date.getTime date/time date1 date2 dateFormat dateTime date_string date_time datetime.date datetime.datetime
datetime.datetime.now datetime.timedelta dayOfWeek debugEnabled dec.Decode decimal.Decimal decodeURIComponent
defaultChecked defaultConfig defaultLocale defaultOptions defaultProps defaultSettings defaultType defaultValue
default_backend default_value define.amd deltaX deltaY destDir dest_path devDependencies dir/file dirPath dir_name
dispatchEvent displayName display_name div.innerHTML doImport doSomething doWork do_nothing do_something
document.activeElement document.addEventListener document.body document.body.appendChild document.cookie
document.createDocumentFragment document.createElement document.documentElement document.getElementById
document.getElementsByClassName document.getElementsByTagName document.querySelector document.querySelectorAll
document.removeEventListener documentElement doesNotExist does_not_exist e.clientX e.clientY e.code e.data e.keyCode
e.kind e.length e.message e.name e.options e.path e.position e.preventDefault e.split e.stack e.start
e.stopPropagation e.target e.target.value e.type e.value ed25519 elapsedTime elem.name elem.setAttribute elem.value
elem1 elem2 element.getAttribute element.name element.setAttribute element.text element1 element2 elementId
elements.length email.parser empty1 empty2 emptyFile enable/disable enabled/disabled enc.Encode encodeURI
encodeURIComponent encoding/base64 encoding/json endDate endIndex endTag endTime endsWith entityType entry.get
entry.id entry.path entry.value enumValue err.Error err.code err.errno err.message err.toString errMsg err_msg
error.code error.message error.message.includes error.stack error.toString error/warning errorCode errorCount
errorHandler errorMessage errorType error_code error_message error_msg errors.As errors.Is errors.New errors.append
errors.length errors.map errors.push es2015 es2017 es2020 event.currentTarget event.data event.defaultPrevented
event.key event.name event.preventDefault event.relatedTarget event.shiftKey event.stopPropagation event.target
event.type eventData eventHandler eventName eventPhase eventType event_name events.length ex.message example.com
example.net example.org example1 example2 exc_info exc_tb exc_type exc_value exec.Command exec.ExitError execCommand
exitCode exitStatus exit_code expectError expected.length expected.replace expected.sort expected1 expected2
expectedError expectedErrors expectedMessage expectedNames expectedOutput expectedPath expectedResponse expectedResult
expectedString expectedType expectedValue expected_output expected_type experimentalDecorators exports.Button
exports.List exports.default expr.name expr1 expr2 extName extra_args f.Close f.IsDir f.Name f.__name__ f.close f.done
f.name f.read f.readlines f.size f.value f.write f0f0f0 fadeIn false/true favicon.ico fetchData ff0000 fi.IsDir
field.name field1 field2 fieldName fieldValue file.Close file.close file.name file.path file.read file.seek file.size
file.txt file.type file/directory file0 file1 file1.txt file2 file3 fileContent fileCount fileExists fileInfo
fileInfos fileList fileName fileNames filePath fileSize fileSystem file_name file_path file_type filename.replace
filename2 filepath.Abs filepath.Base filepath.Clean filepath.Dir filepath.FromSlash filepath.Glob filepath.IsAbs
filepath.Join filepath.Separator filepath.ToSlash filepath.Walk files.filter files.length files.map files.sort
files/directories fillOpacity fillRule filter1 filterName filterOptions finalValue findAll first/last firstArg
firstChild firstLine firstName firstObject first_line first_name flexDirection flexGrow flexShrink float32 float64
fmt.Errorf fmt.Fprint fmt.Fprintln fmt.Printf fmt.Println fmt.Sprint fmt.Sprintf fn.call fn.length fn.name fontFamily
fontSize fontStyle fontWeight foo.bar foo.bar.baz foo.com foo.example foo.html foo.js foo.json foo.txt foo/a foo/bar
foo/bar/baz foo/baz fooBar foo_bar forEach formData formatMessage format_type formatter.format forwardRef frameBorder
from/to fromPath fs.readFile fs.readFileSync fs.unlink fs.writeFileSync fullMatch fullName fullPath fullWidth
full_name full_path full_url func.apply func.call func.name func1 func2 funcName func_name functionName
functools.partial g.name gc.collect get/set getAddress getAll getAllResponseHeaders getAttribute getAttributeNode
getBody getBoundingClientRect getCache getChild getChildren getClass getComputedStyle getConfig getContent getContext
getCookie getData getDate getDefaultValue getDescription getElement getElementById getElementsByTagName getErrors
getHeader getHost getIndex getJSON getKey getKeys getLabels getLocation getMessage getName getOutput getPath getPrefix
getPropertyValue getResource getResponse getResponseHeader getResult getRules getScript getService getSession getSize
getSource getState getStatus getString getStyles getText getTime getTimezoneOffset getType getUrl getUser getValue
getVersion get_all getter/setter github.com github.ref globPattern gmail.com google.com grandParent group.name group1
group2 groupIndex groupName groups.push h.name h.update handleBlur handleChange handleClick handleClose handleDragOver
handleError handleKeyDown handleRequest handleResponse handle_error hasChildren hasData hasDefault hasError hasFocus
hasHeader hasName hasNext hasOwnProperty has_key hash.update hashCode hashFiles hashlib.md5 header.split header1
header2 headerName headers.get hello1 hello2 hello3 host.com host.split host1 host2 html.replace htmlFor http.Client
http.HandlerFunc http.MethodPost http.NewRequest http.Request http.Response http.ResponseWriter http.Server
http.StatusForbidden http.StatusNotFound http.StatusOK http.server http/2 http2 httpClient httpMethod httpOnly i.name
i.next i.test i.toString id.name ids.length idx_name if/else if/when if_exists ignoreCase image/gif image/jpeg
image/png image/svg+xml import/export importName in_reply_to include/exclude increment/decrement index.d.ts index.html
index.js index.js.map index1 index2 indexOf index_info index_list index_name info.IsDir info.ModTime info.name
initialState initialValue inner2 innerHTML innerHeight innerWidth input.length input.replace input.type input.value
input1 input2 inputFile inputPath inputRef inputType inputValue inputs.length insertAfter insertBefore instanceId
int16 int32 int64 invalid1 io.BytesIO io.Closer io.Copy io.Discard io.EOF io.ReadAll io.ReadCloser io.Reader
io.StringIO io.WriteCloser io.WriteString io.Writer isActive isAllowed isArray isAsync isBlock isBoolean isCollapsed
isDate isDefault isDefaultPrevented isDisabled isElement isEmpty isEnabled isEqual isError isExpanded isFile isFinite
isFunction isHidden isIdentifier isInvalid isLast isLoaded isLoading isLocal isLocked isMatch isMultiline isNode
isNull isNumber isNumeric isObject isOpen isPlainObject isPrimitive isPropagationStopped isPrototypeOf isReadOnly
isReady isRequired isRoot isRunning isSelected isStatic isString isSuccess isSymlink isTrue isValid isValidElement
isVisible isWindows is_active is_dir is_empty is_file is_number iso-8859-1 iso8601 it.next item.id item.name
item.split item.type item.value item1 item2 items.forEach items.length iter.Key iter.Next iter.Value
itertools.chain.from_iterable jQuery john.doe json.Marshal json.NewDecoder json.NewEncoder json.RawMessage
json.Unmarshal json.dump json.dumps json.load json.loads jsonPath json_value k.length k.name k.startswith keepAlive
key.indexOf key.lower key.name key.pem key.replace key.split key.startsWith key.startswith key.toLowerCase
key.toUpperCase key.type key/value key/values keyCode keyName keyType key_file key_id keys.items keys.length keys.push
keys.sort keyword.iskeyword keyword2 kwargs.get kwargs.items kwargs.pop kwargs.setdefault kwargs.update l.length
l.line l.next label.name label1 label2 labelId labelName lastChild lastElement lastIndex lastIndexOf lastItem
lastModified lastName lastPart lastPos last_line last_modified last_name last_value latin-1 latin1 leading/trailing
left-1 left.name left/right length-1 length-2 letterSpacing level1 level2 level3 line.endswith line.match line.replace
line.rstrip line.split line.startswith line.strip line.trim line1 line2 line3 lineHeight lineNumber lineWidth
line_number lines.append lines.extend lines.join lines.length lines.map link.href link1 list.append list.length
list.push list1 list2 listFiles loadData loadError local2 localName localStorage localStorage.getItem local_var
location.href lock_file log.Fatalf log.Logger log.Printf log.Println log.debug log.error log.info log10 logFile
logLevel logMessage logger.info logging.DEBUG logging.getLogger m.group m.groups m.name m.update main.go makeArray
makeRequest map.get map.set marginBottom marginLeft marginRight marginTop match.group match.groupdict match.groups
match.index match.length matchContext matchMedia matches.push math/rand matrix.os maxAge maxDate maxHeight maxLen
maxLength maxRetries maxSize maxValue maxWidth max_age max_count max_size maximumFractionDigits md5sum mediaQuery
mediaType member.name message.id message.split messageId messageType messages.push metaData metaKey method.__name__
method1 method2 methodName method_name mime.ParseMediaType mime.TypeByExtension mimeType min/max minDate minHeight
minLength minWidth min_version minimumFractionDigits mod.__esModule modName model.name module.exports module2
moduleName moduleNames modulePath moduleResolution module_name moveTo multiLine multipart/form-data multipart/mixed
myError myFunction myName myValue n.match n.name n.value nActual nContent nCould nExpected nHello name.charAt
name.endswith name.indexOf name.length name.lower name.match name.name name.replace name.slice name.split
name.startswith name.strip name.toLowerCase name.trim name/value name1 name2 name3 namePattern name_1 names.append
names.length names.remove names.sort names2 net.Conn net.Dial net.Listen net.Listener net/http net/http/httptest
net/url newContent newContext newCount newData newElement newEntry newField newFile newItem newKey newMap newName
newNode newPath newRoot newState newString newTarget newText newToken newURL newUrl newVal newValue newValue.length
new_index new_key new_msg new_name new_path new_state new_type new_value new_values nextIndex nextLine nextNode
nextPage nextSibling noConflict noMatch no_cache node.attributes node.body node.childNodes node.children node.id
node.js node.left node.name node.parent node.parentNode node.right node.type node.value node1 node2 nodeCount nodeId
nodeIndex nodeList nodeName nodeType nodeValue node_modules nodes.length nodes.push non-UTF-8 non-utf8 normalizePath
normalized_path notEqual notFound notImplemented not_found o.name o.type o.value obj.items obj.key obj.name
obj.toString objType object.__new__ object.name object1 object2 objectType object_id object_name objects.length
observer.observe offsetParent offsetX offsetY oldName oldPath oldValue old_name old_path old_value on/off onBlur
onCancel onChange onClick onClose onComplete onCreate onDragEnd onDragStart onDrop onError onFocus onInputChange
onKeyDown onLoad onMessage onMouseDown onMouseEnter onMouseLeave onMouseMove onMouseUp onOpen onRemove onScroll
onSelect onStart onSubmit onSuccess onToggle onTouchEnd onTouchStart oneArg openFile openSUSE operator.attrgetter
operator.eq option.name option.value option1 option2 optionName optionValue option_name options.data options.filter
options.length options.map options.max options.method options.name options.type options.update options.url opts.config
orderBy orig_name origin/master originalOptions originalPath original_path os.Args os.Chdir os.Create os.CreateTemp
os.Environ os.Exit os.File os.FileInfo os.FileMode os.Getenv os.Getwd os.Interrupt os.IsNotExist os.MkdirAll
os.MkdirTemp os.ModeSymlink os.O_APPEND os.O_CREATE os.O_EXCL os.O_RDWR os.O_TRUNC os.O_WRONLY os.Open os.OpenFile
os.ReadDir os.ReadFile os.Remove os.RemoveAll os.Setenv os.Signal os.Stat os.Stderr os.Stdin os.Stdout os.TempDir
os.WriteFile os.chmod os.close os.environ os.environ.get os.makedirs os.name os.path.abspath os.path.basename
os.path.dirname os.path.exists os.path.expanduser os.path.getsize os.path.isabs os.path.isdir os.path.join
os.path.split os.path.splitext os.remove os.tmpdir os.unlink os.write os/exec os/signal other.data other.name
other.start other.type other.value other1 other2 other_id other_name out.write outDir outFile outerHeight outerWidth
outlineColor output.append output.extend output.split outputDir outputFile output_dir output_file overflowX overflowY
overrideMimeType ownerDocument p.data p.kind p.name p.parent p.path p.stdin p.stdout p.strip p.title p.type
package-lock.json package.json packageName packagePath paddingBottom paddingLeft paddingRight paddingTop pageXOffset
pageYOffset param1 param2 paramValue param_key params.append params.get params.items parent.id parent.parent
parent/child parent1 parent2 parentElement parentName parentNode parentPath parent_id parseArgs parseError parseFloat
parseInt parseOptions parseResult parser.parse parts.join parts.length parts.pop path.Base path.Dir path.Ext path.Join
path.basename path.charAt path.dirname path.join path.length path.push path.relative path.replace path.resolve
path.slice path.split path.startsWith path.startswith path/filepath path1 path2 pathParts pathSegments path_prefix
pattern.match pattern.test pattern1 pattern2 peerDependencies perPage per_page person.name person1 person2 pickle.dump
pickle.dumps pickle.load pickle.loads plan9 platform.system pluginName pointerEvents portStr postId postProcess
ppc64le pre-1 prefix.length prefix/suffix prefix2 preserveAspectRatio preventDefault preventScroll previousSibling
privateKey private_key process.cwd process.env process.exit process.nextTick process.on process.platform process.stdin
process.stdout process.stdout.write processData progressBar project2 promise.then promises.push prop1 prop2 propName
propertyName propertyNames props.length pubDate public/private publicKey public_key published_at pull_request
pushStack pushState python2 python3 python_version queryString query_string queue.pop queue.push r.Body r.Host
r.Method r.URL.Path r.code r.match r.name rand.Seed random.choice random.randint random.shuffle rawString raw_data
raw_path raw_value re.IGNORECASE re.M re.MULTILINE re.VERBOSE re.compile re.escape re.findall re.match re.search
re.split re.sub react/jsx-runtime read/write readFile readFileSync readOnly read_timeout reader.read reading/writing
readyState realPath redirectTo reflect.DeepEqual reflect.Map reflect.Ptr reflect.Slice reflect.TypeOf reflect.ValueOf
refs/heads refs/heads/main refs/tags regex.match regex.test regexp.MustCompile regexp.Regexp regexp.test relPath
rel_path relativePath relative_path remoteAddr remotePort remoteUser remote_addr removeAll removeAttribute removeChild
removeClass removeFile removeListener remove_file renameFile repeatCount replaceAll replaceState replaceWith
req.Header.Add req.Method req.headers req.method req.url request.cookies request.host request.method request.protocol
request/response requestAnimationFrame requestBody requestHeaders requestId requestTimeout requestType requestURI
res.Body res.Body.Close res.Header.Get res.StatusCode res.end res.err res.push res.status res.type res.value
resolvePath resp.Body resp.Body.Close resp.StatusCode response.body response.data response.error response.headers
response.json response.ok response.status response1 response2 responseBody responseHeaders responseJSON responseText
responseType responseXML response_code response_headers result.add result.append result.code result.data result.err
result.errors result.extend result.get result.indexOf result.join result.keys result.length result.map result.name
result.ok result.push result.replace result.size result.status result.success result.type result.update result.value
result.values result.version result1 result2 result3 result_type results.filter results.forEach results.keys
results.length results.pop results.push results.sort ret.append ret.push returnValue return_value right.name
robots.txt root.path rootDir rootElement rootNode rootPath rowIndex rowSpan row_count rows.map runCommand runTest
runTests run_command runtime.GOARCH runtime.GOOS runtime/debug s.Text s.data s.decode s.encode s.find s.finish
s.indexOf s.length s.name s.push s.replace s.split s.start s.strip s.toString s.type s.update s.values s2.name s390x
sample1 sample2 scaleX scaleY scanner.Scan scanner.Text screenX screenY script.js scrollHeight scrollIntoView
scrollLeft scrollTop searchIndex searchParams searchText search_path secrets.GITHUB_TOKEN seen.add segments.length
selectedIndex selectedOption self.__class__ self.__class__.__name__ self.__dict__ self.__dict__.update self.__eq__
self.__init__ self._cache self._connection self._items self._key self._message self._metadata self._name self._timeout
self._value self._version self._write self.add self.alias self.append self.args self.attributes self.binary self.body
self.branch self.build self.cache self.charset self.check self.clear self.close self.closed self.cmd self.code
self.columns self.comment self.config self.connect self.connection self.contents self.context self.cookies self.copy
self.count self.create self.data self.debug self.default self.delete self.description self.dump self.empty
self.encoding self.end self.env self.error self.execute self.expr self.fields self.file self.foo self.get self.group
self.groups self.handle self.headers self.history self.host self.id self.include self.index self.info self.items
self.join self.key self.keys self.kind self.kwargs self.label self.left self.length self.limit self.line self.load
self.local self.location self.log self.logger self.login self.map self.matches self.message self.metadata self.method
self.mode self.name self.obj self.ok self.open self.options self.opts self.orig self.output self.params self.parent
self.parse self.parser self.password self.path self.paths self.port self.prefix self.priority self.process
self.protocol self.proxy self.put self.query self.queue self.raw self.read self.reason self.remove self.render
self.request self.results self.root self.run self.set self.size self.sort self.source self.start self.started
self.state self.status self.tags self.target self.text self.token self.type self.update self.url self.value
self.values self.verbose self.version self.write self.x self.y server.start server2 serverConfig serverOptions
serverPort service.name serviceName service_name session.close session.get sessionId session_id set.add setActive
setAttribute setContent setCookie setCount setError setFilters setHeight setInterval setLocale setName setOpen
setOption setParent setPosition setRequestHeader setSize setState setStatus setTimeout setValue setValues
settings.json sha256 sha512 shiftKey shortName short_name shouldSkip shouldStop should_be show/hide shutil.copyfile
sideEffects signal.Notify snake_case socket.socket someFunction someOtherKey someString someValue some_name sort.Slice
sort.Sort sort.Strings sortOrder source.length sourceMap sourceMappingURL sourcePath sourceType source_path sqlite3
sqlite_master src_path st.st_mtime st.st_size stack.length stack.pop stack.push start/end start/stop startDate
startIndex startOffset startTag startTime start_date start_time started_at startsWith state.get statusCode statusText
status_code stdout/stderr stopImmediatePropagation stopPropagation store_true str.indexOf str.length str.match
str.replace str.slice str.split strconv.Atoi strconv.Itoa strconv.ParseInt string.ascii_letters string.digits
string.length string.replace string.split string1 stringValue string_value strings.Builder strings.Contains
strings.ContainsAny strings.EqualFold strings.HasPrefix strings.HasSuffix strings.Index strings.Join strings.NewReader
strings.Repeat strings.Replace strings.ReplaceAll strings.Split strings.ToLower strings.ToUpper strings.Trim
strings.TrimLeft strings.TrimPrefix strings.TrimRight strings.TrimSpace strings.TrimSuffix strokeLinecap
strokeLinejoin strokeWidth struct.pack struct.unpack style.css subprocess.CalledProcessError subprocess.PIPE
subprocess.Popen subprocess.call subprocess.check_call success/failure successMessage suffix.length supportedMethods
sync.Mutex sync.Once sync.RWMutex sync.WaitGroup sync/atomic sys._getframe sys.argv sys.exit sys.maxsize sys.modules
sys.platform sys.stderr sys.stderr.write sys.stdin sys.stdout sys.version_info syscall.SIGTERM t.Error t.Errorf
t.Fatal t.Fatalf t.Logf t.Name t.data t.join t.kind t.length t.name t.start t.text t.time t.value tabIndex tabSize
table.name table2 table_info tag.name tagName tag_name tar.gz target.closest target.name target1 target2 targetElement
targetName targetPath targetType target_dir target_index target_path target_type taskList tc.name tearDown tempDir
tempfile.TemporaryFile template.New template.Template template.format template.replace template1 template2
templateData template_path test-1 test-2 test.a test.expected test.host test.html test.js test.name test.path test.run
test.txt test1 test2 test3 test4 test5 test6 test7 testCase testCases testContext testData testDir testFile testName
testResult testServer test_1 test_2 test_all test_case test_class test_count test_data test_delete test_encoding
test_env test_file test_flush test_foo test_format test_groups test_index test_insert test_match test_name test_path
test_size test_time test_unicode testing.B testing.T text.encode text.length text.match text.replace text.split
text.substring text.trim text/css text/csv text/html text/javascript text/plain text/template text/xml text2 textAlign
textColor textContent textDecoration textOverflow textwrap.dedent themeName thing1 thing2 this._values this.add
this.attr this.bar this.basePath this.cache this.cache.get this.callback this.children this.children.length this.code
this.config this.constructor this.container this.content this.context this.count this.data this.date this.db
this.defaults this.destroy this.element this.empty this.enabled this.end this.error this.events this.expected
this.filename this.filter this.first this.foo this.format this.get this.id this.identifier this.index this.info
this.is this.key this.length this.log this.map this.method this.name this.nodeType this.now this.off this.offset
this.options this.parent this.parser this.path this.pos this.prefix this.prop this.properties this.props this.push
this.queue this.register this.request this.s this.send this.set this.settings this.size this.source this.stack
this.start this.state this.store this.test this.text this.text.length this.text.slice this.textContent this.title
this.toLowerCase this.toString this.tokens this.trigger this.type this.unit this.url this.value this.values
this.version this.visit thisName thread.join ticker.Stop time.After time.Duration time.Hour time.Millisecond
time.Minute time.NewTicker time.Now time.Parse time.ParseDuration time.Second time.Since time.Sleep time.Time
time.sleep time.strftime time.time timeFormat timeStamp timeStr timeZone timeoutId title1 title2 tmpDir tmpFile
tmp_file to/from toArray toDelete toElement toJSON toLowerCase toString toUpperCase to_add to_json to_remove
toggleClass token.type token.value tokens.length tokens.push topLevel totalCount totalPages total_count tpl.Execute
transformOrigin translate3d translateY true/false try/catch tt.name type.value type1 type2 typeName typeOf type_name
types.MethodType types.length u.Host u.Path u.String u0000 u0001 u0010 u0019 u001F u001b u001f u0026 u003e u0085 u00A0
u00a0 u2028 u2029 ucs-2 uint16 uint32 uint64 uint8 unicode.ToLower updatedAt updated_at url.Parse url.QueryEscape
url.URL url.Values url.indexOf url.query url.replace urlPath urlPrefix urlStr urllib.parse urllib.request useCache
useCallback useEffect useMap useMemo useRef useState user.email user.id user.name user1 user2 userAgent userID userId
userName user_agent user_id user_name username/password usr/lib utf-16 utf-32 utf-8 utf16 utf16le uuid4 v.copy
v.length v.map v.name v.replace v.value val.replace val.value validateSchema validationError validationResult
validator.validate value.charCodeAt value.decode value.encode value.id value.indexOf value.join value.length
value.lstrip value.map value.match value.name value.replace value.slice value.split value.strip value.toLowerCase
value.toString value.toUpperCase value.trim value.type value.value value1 value2 value3 value4 valueOf value_1
value_name value_type values.append values.length values.map values.push values.sort values1 values2 varName
variableName variable_name version.split versionString version_string verticalAlign viewBox visited.add w.Close
w.Header w.Write w.WriteHeader warnings.catch_warnings warnings.filterwarnings warnings.warn weakref.ref wg.Add
wg.Done wg.Wait whiteSpace width/height win32 window.addEventListener window.clearTimeout window.document
window.getComputedStyle window.innerHeight window.localStorage window.localStorage.getItem window.location
window.location.hash window.location.href window.location.pathname window.location.protocol window.matchMedia
window.onload window.removeEventListener window.setTimeout withCredentials withFileTypes woff2 wordWrap writeFile
writeMessage writer.write www.example www.google.com x.map x.name x.replace x.split x86_64 xhr.open xhr.send y.name
zIndex zipfile.ZipFile ~/.ssh/config
`
