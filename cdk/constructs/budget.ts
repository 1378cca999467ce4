import * as budgets from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

export interface BudgetProps {
  /** US dollars in a month. */
  readonly budgetUsd: number;
  /** Where the mails go. */
  readonly alarmEmail: string;
}

/** The share of the budget, in percent, after which a mail is sent: it has been spent, or it will be. */
const SPENT_PERCENT = 80;
const FORECAST_PERCENT = 100;

/**
 * A budget of the whole account: it also sees storage, logs and network, which crawls do not count, and what else runs there. AWS
 * reckons it a few times a day, so it stops nothing. The first two of an account cost nothing.
 */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { budgetUsd, alarmEmail }: BudgetProps) {
    super(scope, id);
    const subscribers = [{ subscriptionType: 'EMAIL', address: alarmEmail }];
    const mail = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, threshold, comparisonOperator: 'GREATER_THAN' },
      subscribers,
    });
    new budgets.CfnBudget(this, 'Month', {
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: budgetUsd, unit: 'USD' } },
      notificationsWithSubscribers: [mail('ACTUAL', SPENT_PERCENT), mail('FORECASTED', FORECAST_PERCENT)],
    });
  }
}
