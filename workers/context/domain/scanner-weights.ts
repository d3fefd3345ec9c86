/** Weights of the class scanner, one row per tokenizer family, in the order of `scannerFeatures`. */
export type ScannerFamily = 'deepseek'

export const scannerWeights: Readonly<Record<ScannerFamily, readonly number[]>> = {
  deepseek: [0.02, 0.1, 0.95, 0.2, 0.5, 0.1, 0.8, 0.02, 0.06, 0.1, 0.6, 0.3, 0.2, 0.6, 0.55, 0.2, 2.2, 0.9, 0.7, 1, 0.4, 0.6, 0.6, 1.6, 0.2],
}
