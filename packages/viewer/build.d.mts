export declare const buildPage: (folder: string) => Promise<void>
