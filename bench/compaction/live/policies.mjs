/**
 * Ways to keep a running agent within its window. `each`: the view is made anew for every request. Otherwise something
 * is done only when the next request would not fit: `archive` compacts the whole history again, `view` what was sent
 * so far.
 */
export const policies = [
  { name: "never", strategy: undefined },
  { name: "keep-first-last at every request", strategy: "keep-first-last", mode: "each" },
  { name: "mask all but 10 at every request", strategy: "mask-all-but-10", mode: "each" },
  { name: "mask all but 5 at every request", strategy: "mask-all-but-5", mode: "each" },
  { name: "halving", strategy: "halving", mode: "view" },
  { name: "keep-first-last", strategy: "keep-first-last", mode: "view" },
  { name: "mask oldest", strategy: "mask-oldest", mode: "view" },
  { name: "head-tail", strategy: "head-tail", mode: "view" },
  { name: "window (ours)", strategy: "window", mode: "view", isOurs: true },
  { name: "mask (ours)", strategy: "mask", mode: "view", isOurs: true },
  { name: "digest (ours), from the archive", strategy: "digest", mode: "archive", isOurs: true },
  { name: "digest (ours), of the view", strategy: "digest", mode: "view", isOurs: true },
  { name: "generations (ours), from the archive", strategy: "generations", mode: "archive", isOurs: true },
]
