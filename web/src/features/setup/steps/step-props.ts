/** Properties of every step. */
export interface StepProps {
  /** Whether it was done before. */
  isDone: boolean;
  /** Leads to the next one. */
  onDone: () => void;
}
