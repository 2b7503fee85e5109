import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Rating, useRateMessage } from "@/data/messages";
import { showToast } from "@/ui/toasts";

/** The reader's rating of an answer or a source: the stored one or the one being stored, and how to change and explain it. */
export function useRating(rating: ReturnType<typeof useRateMessage>, stored: Rating | undefined) {
  const { t } = useLingui();
  const [isCommenting, setCommenting] = useState(false);
  const given = rating.isPending ? rating.variables : stored;
  // ProtoJSON omits false, so compare with true.
  const isHelpful = given && given.isPositive === true;
  const rate = (isPositive: boolean) => {
    const feedback = isHelpful === isPositive ? undefined : { isPositive };
    setCommenting(false);
    // Do not close a comment form that was opened while the rating was being stored.
    rating.mutate(feedback, { onSuccess: () => feedback?.isPositive === false && setCommenting(true) });
  };
  const explain = (feedbackText: string) =>
    rating.mutate(
      { isPositive: isHelpful === true, feedbackText },
      {
        onSuccess: () => {
          setCommenting(false);
          showToast({ message: t`Thank you. Your feedback was saved.` });
        },
      },
    );
  return { isHelpful, text: given?.feedbackText ?? "", rate, explain, isCommenting, setCommenting };
}
