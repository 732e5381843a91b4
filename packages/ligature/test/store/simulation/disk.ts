/**
 * A simulated disk with the file system of one machine on it. What a call changes is seen by everybody at once, as it is
 * with a system's cache, and is on the disk only when it was flushed.
 *
 * A power cut takes what was not flushed: each change to a file's contents is kept, lost, kept in part, or zeros, one regardless
 * of the other, so that a later write may be there without an earlier one; of changes to names a beginning is kept. A
 * flush that fails meets the same fate at once, and nobody notices before the next power cut: the cache still shows what
 * was written, counts it as done, and no later flush brings it to the disk.
 */

/** Takes part in every decision that a real disk would make by itself. */
export type Decide = (below: number) => number

type Change = { readonly type: "write"; readonly at: number; readonly bytes: Buffer } | { readonly type: "truncate"; readonly size: number }

interface Inode {
  number: number
  readonly born: number
  links: number
  opened: number
  data: Buffer
  durable: Buffer
  pending: Change[]
}

interface NameChange {
  readonly folders: readonly string[]
  readonly set: readonly (readonly [path: string, inode: Inode | undefined])[]
}

interface Opening {
  readonly inode: Inode
  readonly process: string
}

export interface SimulatedState {
  readonly size: number
  readonly links: number
  readonly inode: number
  readonly born: number
}

export const systemError = (code: string, what: string): Error & { readonly code: string } =>
  Object.assign(new Error(`${code}: ${what}`), { code })

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))

const apply = (data: Buffer, change: Change): Buffer => {
  if (change.type === "truncate") {
    return change.size <= data.length ? data.subarray(0, change.size) : Buffer.concat([data, Buffer.alloc(change.size - data.length)])
  }
  const { at, bytes } = change
  const grown = Buffer.alloc(Math.max(data.length, at + bytes.length))
  data.copy(grown)
  bytes.copy(grown, at)
  return grown
}

/** Times of files are taken from a clock that moves this often, as in Linux: two changes may have the same time. */
const tickMs = 4

export class Disk {
  #names = new Map<string, Inode>()
  #durableNames = new Map<string, Inode>()
  #pendingNames: NameChange[] = []
  readonly #folders = new Set<string>()
  readonly #openings = new Map<number, Opening>()
  readonly #used = new Set<number>()
  #nextFile = 3
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  get #tick(): number {
    return Math.floor(this.#clock() / tickMs) * tickMs
  }

  #rename(set: NameChange["set"]): void {
    for (const [path, inode] of set) {
      const before = this.#names.get(path)
      if (before) before.links--
      if (inode) {
        inode.links++
        this.#names.set(path, inode)
      } else this.#names.delete(path)
      if (before) this.#forget(before)
    }
    this.#pendingNames.push({ folders: set.map(([path]) => folderOf(path)), set })
  }

  /** A number is given again as soon as nothing has it. */
  #forget(inode: Inode): void {
    if (inode.links === 0 && inode.opened === 0) this.#used.delete(inode.number)
  }

  #newNumber(): number {
    let number = 10
    while (this.#used.has(number)) number++
    this.#used.add(number)
    return number
  }

  #newInode(): Inode {
    const number = this.#newNumber()
    const born = this.#tick
    return { number, born, links: 0, opened: 0, data: Buffer.alloc(0), durable: Buffer.alloc(0), pending: [] }
  }

  #at(path: string): Inode {
    const inode = this.#names.get(path)
    if (!inode) throw systemError("ENOENT", path)
    return inode
  }

  #of(file: number): Inode {
    const opening = this.#openings.get(file)
    if (!opening) throw systemError("EBADF", String(file))
    return opening.inode
  }

  open(process: string, path: string, how: "read" | "append" | "create"): number {
    if (how === "create") {
      if (this.#names.has(path)) throw systemError("EEXIST", path)
      if (!this.#folders.has(folderOf(path))) throw systemError("ENOENT", path)
      this.#rename([[path, this.#newInode()]])
    }
    const inode = this.#at(path)
    inode.opened++
    const file = this.#nextFile++
    this.#openings.set(file, { inode, process })
    return file
  }

  close(file: number): void {
    const inode = this.#of(file)
    this.#openings.delete(file)
    inode.opened--
    this.#forget(inode)
  }

  /** What a process that ended had open. */
  closeAll(process: string): void {
    for (const [file, opening] of this.#openings) if (opening.process === process) this.close(file)
  }

  read(file: number, length: number, position: number): Buffer {
    return Buffer.from(this.#of(file).data.subarray(position, position + length))
  }

  /** At the end, as every opening of the store appends. */
  write(file: number, bytes: Buffer): void {
    const inode = this.#of(file)
    this.#change(inode, { type: "write", at: inode.data.length, bytes })
  }

  truncate(file: number, size: number): void {
    this.#change(this.#of(file), { type: "truncate", size })
  }

  #change(inode: Inode, change: Change): void {
    inode.data = apply(inode.data, change)
    inode.pending.push(change)
  }

  flush(file: number): void {
    const inode = this.#of(file)
    for (const change of inode.pending) inode.durable = apply(inode.durable, change)
    inode.pending = []
  }

  failFlush(file: number, decide: Decide): void {
    this.#lose(this.#of(file), decide)
  }

  #lose(inode: Inode, decide: Decide): void {
    for (const change of inode.pending) {
      const fate = ["kept", "lost", "torn", "zeros"][decide(4)]
      if (fate === "kept") inode.durable = apply(inode.durable, change)
      else if (change.type === "truncate" || fate === "lost") continue
      else {
        const torn = change.bytes.subarray(0, decide(change.bytes.length + 1))
        const bytes = fate === "zeros" ? Buffer.alloc(change.bytes.length) : torn
        if (bytes.length > 0) inode.durable = apply(inode.durable, { ...change, bytes })
      }
    }
    inode.pending = []
  }

  flushFolder(folder: string): void {
    const rest: NameChange[] = []
    for (const change of this.#pendingNames) {
      if (change.folders.includes(folder)) this.#keep(change)
      else rest.push(change)
    }
    this.#pendingNames = rest
  }

  #keep({ set }: NameChange): void {
    for (const [path, inode] of set) {
      if (inode) this.#durableNames.set(path, inode)
      else this.#durableNames.delete(path)
    }
  }

  #state(inode: Inode): SimulatedState {
    const { number, born, links, data } = inode
    return { size: data.length, links, inode: number, born }
  }

  stateOf(file: number): SimulatedState {
    return this.#state(this.#of(file))
  }

  stateAt(path: string): SimulatedState | undefined {
    const inode = this.#names.get(path)
    return inode && this.#state(inode)
  }

  readWhole(path: string): Buffer {
    return Buffer.from(this.#at(path).data)
  }

  link(from: string, to: string): void {
    const inode = this.#at(from)
    if (this.#names.has(to)) throw systemError("EEXIST", to)
    this.#rename([[to, inode]])
  }

  rename(from: string, to: string): void {
    const inode = this.#at(from)
    if (this.#names.get(to) === inode) return
    this.#rename([
      [to, inode],
      [from, undefined],
    ])
  }

  unlink(path: string): void {
    this.#at(path)
    this.#rename([[path, undefined]])
  }

  names(folder: string): readonly string[] {
    const inside = [...this.#names.keys(), ...this.#folders].filter((path) => folderOf(path) === folder)
    return inside.map((path) => path.slice(folder.length + 1))
  }

  makeFolder(folder: string): void {
    this.#folders.add(folder)
  }

  exists(path: string): boolean {
    return this.#names.has(path) || this.#folders.has(path)
  }

  /** Everything that was open is closed by now. Folders are there from the beginning and are kept. */
  loseCache(decide: Decide): void {
    for (const change of this.#pendingNames.slice(0, decide(this.#pendingNames.length + 1))) this.#keep(change)
    this.#pendingNames = []
    this.#names = new Map(this.#durableNames)
    const inodes = new Set(this.#names.values())
    this.#used.clear()
    for (const inode of inodes) {
      // What comes back may have had a number that was given to another one meanwhile.
      inode.number = this.#newNumber()
      inode.links = [...this.#names.values()].filter((other) => other === inode).length
      this.#lose(inode, decide)
      inode.data = inode.durable
    }
  }
}
