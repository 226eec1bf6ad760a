(** The rule of the certificate checker, as a boolean function over Q, and what follows where it says true.

    A certificate is a game with a claimed curve at every position, strategies, and claims: at a slope, an upper bound
    for every adversary, and a lower bound that a strategy attains. *)
From Coq Require Import QArith Qminmax List Lqa Lia Bool ZArith FMapPositive.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Envelope Strategies CurveOrder.
Import ListNotations.
Open Scope Q_scope.

(** An outcome: what is seen (a number), its weights in both worlds, and the position after it; [None]: nothing more
    can be learnt. *)
Definition outcome : Type := Z * (Q * Q) * option positive.

Record node := { curve : pairs; options : list (list outcome) }.

Definition table := PositiveMap.t node.

Definition weights (os : list outcome) (o : outcome) : Q * Q := snd (fst o).

Definition total0 (os : list outcome) : Q := sum (fun o => fst (snd (fst o))) os.
Definition total1 (os : list outcome) : Q := sum (fun o => snd (snd (fst o))) os.

(** Weights of an option become probabilities. *)
Definition normal (os : list outcome) : list (Z * (Q * Q) * option positive) :=
  map (fun o => (fst (fst o), (fst (snd (fst o)) / total0 os, snd (snd (fst o)) / total1 os), snd o)) os.

Definition options_at (T : table) (v : option positive) : list (list outcome) :=
  match v with Some k => match PositiveMap.find k T with Some n => options n | None => [] end | None => [] end.

(** The game of a table. *)
Definition of_table (T : table) : kernels := {|
  kernel_position := option positive; kernel_move := nat; kernel_visible := Z;
  kernel_step := fun v m => option_map normal (nth_error (options_at T v) m) |}.

Definition over : pairs := [(1, 1)].

Definition curve_at (T : table) (v : option positive) : pairs :=
  match v with Some k => match PositiveMap.find k T with Some n => curve n | None => over end | None => over end.

(** What the curve of a position allows at a slope; its masses count in proportion to their sum. *)
Definition worth (C : pairs) (a b : Q) : Q := hockey_stick C (a / sum fst C) (b / sum snd C).

(** ** Curves *)

(** Slopes fall strictly. *)
Fixpoint falls (p : Q * Q) (S : pairs) : bool :=
  match S with
  | [] => true
  | z :: r => Qle_bool 0 (fst z) && Qle_bool 0 (snd z) && negb (Qle_bool (det p (ray z)) 0) && falls (ray z) r
  end.

Definition is_curve (S : pairs) : bool :=
  match S with
  | [] => false
  | z :: r => Qle_bool 0 (fst z) && Qle_bool 0 (snd z) && negb (Qle_bool (fst z + snd z) 0) && falls (ray z) r
              && negb (Qle_bool (sum fst S) 0) && negb (Qle_bool (sum snd S) 0)
  end.

Lemma positive_bool q : negb (Qle_bool q 0) = true -> 0 < q.
Proof. intros H. apply negb_true_iff in H. apply Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence. Qed.

Lemma falls_spec : forall S p, falls p S = true -> 0 <= fst p -> 0 <= snd p -> falling p S.
Proof.
  induction S as [|z S IH]; intros p H P0 P1; simpl; trivial. simpl in H.
  rewrite !andb_true_iff in H. destruct H as [[[Z0 Z1] D] F]. apply Qle_bool_iff in Z0, Z1. apply positive_bool in D.
  repeat split; trivial.
  - unfold det, ray in D. simpl in D. destruct (Qlt_le_dec 0 (fst z + snd z)) as [X|X]; trivial. exfalso.
    assert (fst z == 0) by lra. assert (snd z == 0) by lra. rewrite H, H0 in D. lra.
  - lra.
  - apply IH; trivial.
Qed.

Lemma is_curve_spec S : is_curve S = true -> falling (1, 0) S /\ 0 < sum fst S /\ 0 < sum snd S.
Proof.
  destruct S as [|z S]; [discriminate|]. cbn [is_curve]. rewrite !andb_true_iff.
  intros [[[[[Z0 Z1] Zp] F] T0] T1]. apply Qle_bool_iff in Z0, Z1. apply positive_bool in Zp, T0, T1.
  split; [|now split]. cbn [falling]. repeat split; trivial.
  - unfold det, ray. simpl. lra.
  - now apply falls_spec.
Qed.

(** ** One option *)

Definition lcm_of (q r : Q) : Q := Z.lcm (Qnum q) (Qnum r) # 1.

(** The scales that make every factor a whole number, where masses and weights are. *)
Definition scale0 (T : table) (C : pairs) (os : list outcome) : Q :=
  fold_right (fun o => lcm_of (total0 os * sum fst (curve_at T (snd o)))) (sum fst C) os.
Definition scale1 (T : table) (C : pairs) (os : list outcome) : Q :=
  fold_right (fun o => lcm_of (total1 os * sum snd (curve_at T (snd o)))) (sum snd C) os.

Definition scaled_by (c0 c1 : Q) (S : pairs) : pairs := map (fun z => (c0 * fst z, c1 * snd z)) S.

Definition check_option (T : table) (C : pairs) (os : list outcome) : bool :=
  let t0 := total0 os in let t1 := total1 os in
  let u0 := scale0 T C os in let u1 := scale1 T C os in
  forallb (fun o : outcome => Qle_bool 0 (fst (snd (fst o))) && Qle_bool 0 (snd (snd (fst o)))) os
  && negb (Qle_bool t0 0) && negb (Qle_bool t1 0) && negb (Qle_bool u0 0) && negb (Qle_bool u1 0)
  && bounds (scaled_by (Qred (u0 / sum fst C)) (Qred (u1 / sum snd C)) C)
       (map (fun o : outcome =>
          let next := curve_at T (snd o) in
          ((Qred (u0 * fst (snd (fst o)) / (t0 * sum fst next)), Qred (u1 * snd (snd (fst o)) / (t1 * sum snd next))),
           next)) os).

Definition known (T : table) (o : outcome) : bool :=
  match snd o with Some k => match PositiveMap.find k T with Some _ => true | None => false end | None => true end.

Definition check_node (T : table) (n : node) : bool :=
  is_curve (curve n) && forallb (fun os => forallb (known T) os && check_option T (curve n) os) (options n).

Definition of_list (l : list (positive * node)) : table :=
  fold_right (fun kn T => PositiveMap.add (fst kn) (snd kn) T) (PositiveMap.empty node) l.

Definition check_positions (l : list (positive * node)) : bool :=
  let T := of_list l in forallb (fun kn => check_node T (snd kn)) l.

Lemma of_list_in l k n : PositiveMap.find k (of_list l) = Some n -> In (k, n) l.
Proof.
  induction l as [|[k' n'] l IH]; simpl.
  - now rewrite PositiveMap.gempty.
  - destruct (Pos.eq_dec k k') as [->|Ne].
    + rewrite PositiveMap.gss. intros [= ->]. now left.
    + rewrite PositiveMap.gso by exact Ne. auto.
Qed.

Lemma over_falling : falling (1, 0) over.
Proof. simpl. unfold det, ray. simpl. repeat split; lra. Qed.

Lemma curve_at_spec l v : check_positions l = true ->
  falling (1, 0) (curve_at (of_list l) v) /\ 0 < sum fst (curve_at (of_list l) v) /\
  0 < sum snd (curve_at (of_list l) v).
Proof.
  intros H. assert (falling (1, 0) over /\ 0 < sum fst over /\ 0 < sum snd over) as O
    by (split; [exact over_falling|unfold over; simpl; split; lra]).
  destruct v as [k|]; [|exact O]. simpl. destruct (PositiveMap.find k (of_list l)) as [n|] eqn:E; [|exact O].
  apply of_list_in in E. unfold check_positions in H. rewrite forallb_forall in H. specialize (H _ E). simpl in H.
  apply andb_true_iff in H as [H _]. now apply is_curve_spec.
Qed.

Lemma falling_scaled_from c0 c1 : 0 < c0 -> 0 < c1 -> forall S p p' k, falling p S -> 0 < k ->
  fst p' == k * (c1 * fst p) -> snd p' == k * (c0 * snd p) -> falling p' (scaled_by c0 c1 S).
Proof.
  intros C0 C1. induction S as [|z S IH]; intros p p' k F Kp E0 E1; simpl; trivial.
  destruct F as (Z0 & Z1 & Zp & D & F). unfold det, ray in *. cbn [fst snd] in *.
  split; [nra|]. split; [nra|]. split; [|split].
  - destruct (Qlt_le_dec 0 (fst z)) as [X|X]; [nra|]. assert (0 < snd z) by lra. nra.
  - rewrite E0, E1. assert (0 <= c0 * c1) by nra. assert (0 <= k * (c0 * c1)) by nra.
    setoid_replace (k * (c1 * fst p) * (c0 * fst z) - k * (c0 * snd p) * (c1 * snd z))
      with (k * (c0 * c1) * (fst p * fst z - snd p * snd z)) by ring. nra.
  - apply (IH (snd z, fst z) _ 1 F); simpl; lra.
Qed.

Lemma falling_scaled c0 c1 S : 0 < c0 -> 0 < c1 -> falling (1, 0) S -> falling (1, 0) (scaled_by c0 c1 S).
Proof.
  intros C0 C1 F. apply (falling_scaled_from c0 c1 C0 C1 S (1, 0) _ (/ c1) F); simpl.
  - now apply Qinv_lt_0_compat.
  - field. lra.
  - lra.
Qed.

(** A check at the scales is one at all slopes. *)
Lemma check_option_sound l v os : check_positions l = true ->
  let T := of_list l in check_option T (curve_at T v) os = true ->
  0 < total0 os /\ 0 < total1 os /\
  (forall o, In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) /\
  forall a b, 0 <= a -> 0 <= b ->
  sum (fun o => worth (curve_at T (snd o)) (a * (fst (snd (fst o)) / total0 os))
    (b * (snd (snd (fst o)) / total1 os))) os
  <= worth (curve_at T v) a b.
Proof.
  intros H T C. destruct (curve_at_spec l v H) as (F & S0 & S1). fold T in F, S0, S1.
  unfold check_option in C. rewrite !andb_true_iff in C. destruct C as [[[[[N T0] T1] U0] U1] B].
  apply positive_bool in T0, T1, U0, U1.
  set (u0 := scale0 T (curve_at T v) os) in *. set (u1 := scale1 T (curve_at T v) os) in *.
  set (C := curve_at T v) in *.
  assert (forall o, In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) as W.
  { rewrite forallb_forall in N. intros o I. specialize (N o I). apply andb_true_iff in N as [N0 N1].
    now rewrite Qle_bool_iff in N0, N1. }
  split; [exact T0|]. split; [exact T1|]. split; [exact W|]. intros a b A Bb.
  assert (0 < u0 / sum fst C) as F0 by (apply Qlt_shift_div_l; lra).
  assert (0 < u1 / sum snd C) as F1 by (apply Qlt_shift_div_l; lra).
  apply bounds_sound in B.
  - specialize (B (a / u0) (b / u1)).
    assert (0 <= a / u0) as A' by (apply Qle_shift_div_l; lra).
    assert (0 <= b / u1) as B' by (apply Qle_shift_div_l; lra).
    specialize (B A' B'). unfold worth.
    assert (hockey_stick (scaled_by (Qred (u0 / sum fst C)) (Qred (u1 / sum snd C)) C) (a / u0) (b / u1)
            == hockey_stick C (a / sum fst C) (b / sum snd C)) as <-.
    { unfold scaled_by, hockey_stick. rewrite sum_map. apply sum_ext. intros z _. apply plus_compat. cbn [fst snd].
      rewrite (Qred_correct (u0 / sum fst C)), (Qred_correct (u1 / sum snd C)). field. repeat split; lra. }
    eapply Qle_trans; [|exact B]. apply Qle_lteq. right. unfold all_of.
    unfold hockey_stick at 2. rewrite sum_flat_map, sum_map. apply sum_ext. intros o I.
    destruct (curve_at_spec l (snd o) H) as (_ & R0 & R1). fold T in R0, R1.
    change (sum (fun k => plus (b / u1 * snd k - a / u0 * fst k))) with (fun K => hockey_stick K (a / u0) (b / u1)).
    cbv beta. rewrite scaled_value. cbn [fst snd].
    apply hockey_stick_compat; rewrite Qred_correct; field; repeat split; lra.
  - apply falling_scaled; trivial; rewrite Qred_correct; trivial.
  - intros p I. apply in_map_iff in I as [o [<- I]]. cbn [fst snd]. destruct (W o I) as [W0 W1].
    destruct (curve_at_spec l (snd o) H) as (R & R0 & R1). fold T in R, R0, R1.
    split; [rewrite Qred_correct; apply Qle_shift_div_l; nra|].
    split; [rewrite Qred_correct; apply Qle_shift_div_l; nra|exact R].
Qed.

(** ** Upper bounds *)

Section Sound.
Context (l : list (positive * node)).
Hypothesis checked : check_positions l = true.
Notation T := (of_list l).
Notation K := (of_table T).

Lemma option_checked v m os : nth_error (options_at T v) m = Some os -> check_option T (curve_at T v) os = true.
Proof.
  destruct v as [k|]; simpl; [|now destruct m]. destruct (PositiveMap.find k T) as [n|] eqn:E; [|now destruct m].
  intros H. apply of_list_in in E. pose proof checked as C. unfold check_positions in C. rewrite forallb_forall in C.
  specialize (C _ E). apply andb_true_iff in C as [_ C]. rewrite forallb_forall in C.
  apply nth_error_In in H. now apply C, andb_true_iff in H.
Qed.

Lemma kernel_step_table v m os : kernel_step K v m = Some os ->
  exists o, nth_error (options_at T v) m = Some o /\ os = normal o.
Proof. simpl. destruct (nth_error (options_at T v) m) as [o|]; [|discriminate]. intros [= <-]. now exists o. Qed.

Theorem positions_sound (A : adversary (of_kernels K)) phi : is_test A phi -> forall n v a b, 0 <= a -> 0 <= b ->
  b * probability A n (start (K := K) v) phi 1 - a * probability A n (start (K := K) v) phi 0
  <= worth (curve_at T v) a b.
Proof.
  intros H. apply (certificate_sound K (fun _ v => worth (curve_at T v))); trivial.
  - intros v m os o E I. apply kernel_step_table in E as (os' & E & ->).
    destruct (check_option_sound l v os' checked (option_checked v m os' E)) as (T0 & T1 & W & _).
    apply in_map_iff in I as [o' [<- I]]. destruct (W o' I). cbn [fst snd].
    split; apply Qle_shift_div_l; lra.
  - intros. apply hockey_stick_nonneg.
  - intros _ v a b _ _. destruct (curve_at_spec l v checked) as (_ & S0 & S1). unfold worth.
    eapply Qle_trans; [|apply hockey_stick_ends]. unfold line. cbn [fst snd]. apply Qle_lteq. right. field. split; lra.
  - intros _ v m os E a b Ha Hb. apply kernel_step_table in E as (os' & E & ->).
    destruct (check_option_sound l v os' checked (option_checked v m os' E)) as (_ & _ & _ & B).
    unfold normal. rewrite sum_map. cbn [fst snd]. now apply B.
Qed.

Lemma table_probability_total (A : adversary (of_kernels K)) n v w :
  probability A n (start (K := K) v) (fun _ => 1) w == 1.
Proof.
  transitivity (likelihood (of_kernels K) w (start (K := K) v)); [|now destruct w].
  apply (probability_total A (fun _ _ => True)); [|exact I].
  intros k [u [p q]] m os _ E. split; [trivial|].
  change (step (of_kernels K) (u, (p, q)) m) with (option_map (map (fun o : Z * (Q * Q) * option positive =>
    let '(y, k, x) := o in (y, (x, (p * fst k, q * snd k))))) (kernel_step K u m)) in E.
  destruct (kernel_step K u m) as [os0|] eqn:E0; [|discriminate]. injection E as <-.
  apply kernel_step_table in E0 as (os' & E & ->).
  destruct (check_option_sound l u os' checked (option_checked u m os' E)) as (T0 & T1 & _ & _).
  rewrite sum_map. unfold normal. rewrite sum_map. cbn [fst snd].
  destruct w as [|w]; cbn [likelihood of_kernels fst snd].
  - transitivity (sum (fun o => p / total0 os' * fst (snd (fst o))) os').
    + apply sum_ext. intros o _. field. lra.
    + rewrite sum_scale. fold (total0 os'). field. lra.
  - transitivity (sum (fun o => q / total1 os' * snd (snd (fst o))) os').
    + apply sum_ext. intros o _. field. lra.
    + rewrite sum_scale. fold (total1 os'). field. lra.
Qed.

(** What a test gains at slope [e]: P1 - e P0, or P0 - e P1 in the reversed order. *)
Definition gained (reversed : bool) (e p0 p1 : Q) : Q := if reversed then p0 - e * p1 else p1 - e * p0.

Definition most (C : pairs) (reversed : bool) (e : Q) : Q := if reversed then 1 - e + worth C 1 e else worth C e 1.

Theorem upper_sound (A : adversary (of_kernels K)) phi : is_test A phi -> forall n v reversed e, 0 <= e ->
  gained reversed e (probability A n (start (K := K) v) phi 0) (probability A n (start (K := K) v) phi 1)
  <= most (curve_at T v) reversed e.
Proof.
  intros H n v reversed e He. destruct reversed; unfold gained, most.
  - assert (is_test A (fun h => 1 - phi h)) as H' by (intros h; specialize (H h); lra).
    pose proof (positions_sound A _ H' n v 1 e) as B. rewrite !probability_not, !table_probability_total in B. lra.
  - pose proof (positions_sound A phi H n v e 1). lra.
Qed.
End Sound.

(** ** Lower bounds: strategies, each from those after it *)

Inductive answer := Bet (accept : bool) | GoOn (play : positive).

(** At a position: which option is asked for, and what is done after each of its outcomes. *)
Record plan := { plan_at : positive; plan_option : nat; plan_answers : list answer }.

(** What is known of the plans so far: their positions, and the chance of acceptance in either world. *)
Definition chances := PositiveMap.t (positive * (Q * Q)).

Definition answered (known : chances) (o : outcome) (x : answer) : option (Q * Q) :=
  match x with
  | Bet true => Some (1, 1)
  | Bet false => Some (0, 0)
  | GoOn k =>
    match PositiveMap.find k known, snd o with
    | Some (v', c), Some v => if Pos.eqb v v' then Some c else None
    | _, _ => None
    end
  end.

Fixpoint together (t0 t1 : Q) (known : chances) (os : list outcome) (xs : list answer) : option (Q * Q) :=
  match os, xs with
  | [], [] => Some (0, 0)
  | o :: os', x :: xs' =>
    match answered known o x, together t0 t1 known os' xs' with
    | Some c, Some r =>
      Some (Qred (fst (snd (fst o)) / t0 * fst c + fst r), Qred (snd (snd (fst o)) / t1 * snd c + snd r))
    | _, _ => None
    end
  | _, _ => None
  end.

Fixpoint distinct (l : list Z) : bool :=
  match l with [] => true | x :: r => negb (existsb (Z.eqb x) r) && distinct r end.

Lemma distinct_spec l : distinct l = true -> NoDup l.
Proof.
  induction l as [|x r IH]; simpl; [constructor|]. intros H. apply andb_true_iff in H as [N D].
  constructor; [|now apply IH]. intros I. apply negb_true_iff in N.
  assert (existsb (Z.eqb x) r = true) by (apply existsb_exists; exists x; split; [exact I|apply Z.eqb_refl]).
      congruence.
Qed.

Definition chance_of (T : table) (known : chances) (p : plan) : option (Q * Q) :=
  match nth_error (options_at T (Some (plan_at p))) (plan_option p) with
  | None => None
  | Some os => if distinct (map (fun o => fst (fst o)) os)
    then together (total0 os) (total1 os) known os (plan_answers p) else None
  end.

Fixpoint evaluated (T : table) (known : chances) (l : list (positive * plan)) : option chances :=
  match l with
  | [] => Some known
  | (k, p) :: r =>
    match chance_of T known p with
    | Some c => evaluated T (PositiveMap.add k (plan_at p, c) known) r
    | None => None
    end
  end.

Section Attained.
Context (T : table).
Notation K := (of_table T).

(** Some strategy has these chances from the position on, with enough rounds left. *)
Definition reaches (v : option positive) (c : Q * Q) : Prop :=
  exists s n0, forall n, (n0 <= n)%nat -> forall a b, payoff (K := K) n s v a b == b * snd c - a * fst c.

Definition sound_chances (known : chances) : Prop :=
  forall k v c, PositiveMap.find k known = Some (v, c) -> reaches (Some v) c.

Lemma answered_reaches known o x c : sound_chances known -> answered known o x = Some c -> reaches (snd o) c.
Proof.
  intros S. destruct x as [[|]|k]; simpl.
  - intros [= <-]. exists (Stop true), O. intros [|n] _ a b; simpl; lra.
  - intros [= <-]. exists (Stop false), O. intros [|n] _ a b; simpl; lra.
  - destruct (PositiveMap.find k known) as [[v' c']|] eqn:E; [|discriminate].
    destruct (snd o) as [v|]; [|discriminate]. destruct (Pos.eqb v v') eqn:Ev; [|discriminate].
    apply Pos.eqb_eq in Ev as ->. intros [= <-]. exact (S k v' c' E).
Qed.

Lemma eventually {X} (P : X -> nat -> Prop) (l : list X) :
  (forall x, In x l -> exists n0, forall n, (n0 <= n)%nat -> P x n) ->
  exists n0, forall n, (n0 <= n)%nat -> forall x, In x l -> P x n.
Proof.
  induction l as [|x l IH]; intros H; [exists O; intros n _ x []|].
  destruct (H x) as [n1 H1]; [now left|]. destruct IH as [n2 H2]; [intros; apply H; now right|].
  exists (Nat.max n1 n2). intros n Hn y [<-|I]; [apply H1|apply H2]; trivial; lia.
Qed.

Lemma together_in t0 t1 known : forall os xs c, together t0 t1 known os xs = Some c ->
  forall o x, In (o, x) (combine os xs) -> exists d, answered known o x = Some d.
Proof.
  induction os as [|o os IH]; intros [|x xs] c H p y I; simpl in *; try easy.
  destruct (answered known o x) as [d|] eqn:E; [|discriminate].
  destruct (together t0 t1 known os xs) as [r|] eqn:Er; [|discriminate].
  destruct I as [[= <- <-]|I]; [now exists d|]. exact (IH xs r Er p y I).
Qed.

Lemma together_length t0 t1 known : forall os xs c, together t0 t1 known os xs = Some c ->
  map fst (combine os xs) = os.
Proof.
  induction os as [|o os IH]; intros [|x xs] c H; simpl in *; try easy.
  destruct (answered known o x); [|discriminate]. destruct (together t0 t1 known os xs) as [r|] eqn:E; [|discriminate].
  f_equal. exact (IH xs r E).
Qed.

Lemma together_sum t0 t1 known (f : outcome -> Q -> Q -> Q) a b : forall os xs c,
  (forall o x d, In (o, x) (combine os xs) -> answered known o x = Some d ->
     forall a' b', f o a' b' == b' * snd d - a' * fst d) ->
  together t0 t1 known os xs = Some c ->
  sum (fun o => f o (a * (fst (snd (fst o)) / t0)) (b * (snd (snd (fst o)) / t1))) os == b * snd c - a * fst c.
Proof.
  induction os as [|o os IH]; intros [|x xs] c F H; simpl in H; try discriminate.
  - injection H as <-. simpl. lra.
  - destruct (answered known o x) as [d|] eqn:E; [|discriminate].
    destruct (together t0 t1 known os xs) as [r|] eqn:Er; [|discriminate]. injection H as <-.
    cbn [sum fst snd]. rewrite (F o x d (or_introl eq_refl) E).
    rewrite (IH xs r) by (trivial; intros; apply (F o0 x0); trivial; now right).
    rewrite (Qred_correct (fst (snd (fst o)) / t0 * fst d + fst r)).
    rewrite (Qred_correct (snd (snd (fst o)) / t1 * snd d + snd r)). ring.
Qed.

Lemma chance_of_reaches known p c : sound_chances known -> chance_of T known p = Some c -> reaches (Some (plan_at p)) c.
Proof.
  intros S. unfold chance_of. destruct (nth_error _ _) as [os|] eqn:E; [|discriminate].
  destruct (distinct _) eqn:D; [|discriminate]. intros H. apply distinct_spec in D.
  set (zs := combine os (plan_answers p)).
  destruct (choose (K := K) Z.eq_dec (fun z : outcome * answer => fst (fst (fst z)))
    (fun z s => exists n0, forall n, (n0 <= n)%nat -> forall d, answered known (fst z) (snd z) = Some d ->
       forall a b, payoff (K := K) n s (snd (fst z)) a b == b * snd d - a * fst d) (Stop false) zs) as [next Hn].
  - unfold zs. rewrite <- (map_map fst (fun o : outcome => fst (fst o))), (together_length _ _ _ _ _ _ H). exact D.
  - intros [o x] I. destruct (together_in _ _ _ _ _ _ H o x I) as [d Ed]. cbn [fst snd].
    destruct (answered_reaches known o x d S Ed) as (s & n0 & Hs). exists s, n0. intros n Hle d' Ed'.
    assert (d' = d) as -> by congruence. now apply Hs.
  - destruct (eventually (fun z n => forall d, answered known (fst z) (snd z) = Some d -> forall a b,
      payoff (K := K) n (next (fst (fst (fst z)))) (snd (fst z)) a b == b * snd d - a * fst d) zs) as [n0 Hall].
    { intros z I. destruct (Hn z I) as [n0 H0]. exists n0. exact H0. }
    exists (Ask (K := K) (plan_option p) next), (Datatypes.S n0). intros n Hle a b.
    destruct n as [|n]; [lia|]. cbn [payoff kernel_step of_table]. rewrite E. cbn [option_map].
    unfold normal. rewrite sum_map. cbn [fst snd].
    apply (together_sum (total0 os) (total1 os) known
      (fun o => payoff (K := K) n (next (fst (fst o))) (snd o)) a b os (plan_answers p) c); [|exact H].
    intros o x d I Ed a' b'. exact (Hall n (le_S_n _ _ Hle) (o, x) I d Ed a' b').
Qed.

Lemma evaluated_sound : forall l known known', sound_chances known -> evaluated T known l = Some known' ->
  sound_chances known'.
Proof.
  induction l as [|[k p] l IH]; intros known known' S H; simpl in H; [now injection H as <-|].
  destruct (chance_of T known p) as [c|] eqn:E; [|discriminate]. apply (IH _ _) in H; [exact H|].
  intros k' v c' F. destruct (Pos.eq_dec k' k) as [->|Ne].
  - rewrite PositiveMap.gss in F. injection F as <- <-. now apply (chance_of_reaches known).
  - rewrite PositiveMap.gso in F by exact Ne. exact (S k' v c' F).
Qed.

(** What a strategy reaches, an adversary attains, in both orders. *)
Lemma reaches_attained v c : reaches v c ->
  exists n (A : adversary (of_kernels K)) phi, is_test A phi /\ forall reversed e,
  gained reversed e (probability A n (start (K := K) v) phi 0) (probability A n (start (K := K) v) phi 1)
  == gained reversed e (fst c) (snd c).
Proof.
  intros (s & n0 & H). exists n0, (follow s), (accept s).
  destruct (strategy_attained s n0 v) as [Ht E]. split; [exact Ht|]. intros [|] e; unfold gained.
  - pose proof (E (-(1)) (- e)) as X. rewrite (H n0 (le_n _)) in X. lra.
  - pose proof (E e 1) as X. rewrite (H n0 (le_n _)) in X. lra.
Qed.
End Attained.

(** ** Certificates *)

Record claim := { slope : Q; reversed : bool; upper : Q; lower : Q; attained_by : option positive }.

Record certificate := {
  positions : list (positive * node);
  root : positive;
  plans : list (positive * plan);
  claims : list claim }.

(** [worth] in whole numbers, where masses are. *)
Definition worth_scaled (C : pairs) (a b : Q) : Q :=
  let t0 := sum fst C in let t1 := sum snd C in let d := inject_Z (Zpos (Qden a) * Zpos (Qden b)) in
  hockey_stick C (Qred (a * d * t1)) (Qred (b * d * t0)) / (d * t0 * t1).

Lemma worth_scaled_spec C a b : 0 < sum fst C -> 0 < sum snd C -> worth_scaled C a b == worth C a b.
Proof.
  intros T0 T1. unfold worth_scaled, worth. set (d := inject_Z _).
  assert (0 < d) as D by (unfold d, Qlt; simpl; lia).
  assert (hockey_stick C (Qred (a * d * sum snd C)) (Qred (b * d * sum fst C))
          == d * sum fst C * sum snd C * hockey_stick C (a / sum fst C) (b / sum snd C)) as ->.
  - assert (0 <= d * sum fst C * sum snd C) as S by (apply Qmult_le_0_compat; [nra|lra]).
    rewrite <- (hockey_stick_scale C _ _ _ S). apply hockey_stick_compat; rewrite Qred_correct; field; lra.
  - field. repeat split; lra.
Qed.

Definition most_scaled (C : pairs) (reversed : bool) (e : Q) : Q :=
  if reversed then 1 - e + worth_scaled C 1 e else worth_scaled C e 1.

Definition check_claim (T : table) (root : positive) (known : chances) (c : claim) : bool :=
  Qle_bool 0 (slope c) && Qle_bool (most_scaled (curve_at T (Some root)) (reversed c) (slope c)) (upper c)
  && match attained_by c with
     | None => Qle_bool (lower c) 0
     | Some k =>
       match PositiveMap.find k known with
       | Some (v, (p0, p1)) => Pos.eqb v root && Qle_bool (lower c) (gained (reversed c) (slope c) p0 p1)
       | None => false
       end
     end.

Definition check (c : certificate) : bool :=
  check_positions (positions c) &&
  let T := of_list (positions c) in
  match evaluated T (PositiveMap.empty _) (plans c) with
  | None => false
  | Some known => forallb (check_claim T (root c) known) (claims c)
  end.

(** No adversary, randomised and adaptive as it may be, exceeds an upper bound, and one attains the lower bound. *)
Theorem check_sound (c : certificate) : check c = true ->
  let K := of_table (of_list (positions c)) in let v := start (K := K) (Some (root c)) in
  forall k, In k (claims c) ->
  (forall (A : adversary (of_kernels K)) phi, is_test A phi -> forall n,
     gained (reversed k) (slope k) (probability A n v phi 0) (probability A n v phi 1) <= upper k) /\
  (exists n (A : adversary (of_kernels K)) phi, is_test A phi /\
     lower k <= gained (reversed k) (slope k) (probability A n v phi 0) (probability A n v phi 1)).
Proof.
  intros H K v k I. unfold check in H. apply andb_true_iff in H as [P H].
  destruct (evaluated _ _ _) as [known|] eqn:E; [|discriminate]. rewrite forallb_forall in H. specialize (H k I).
  unfold check_claim in H. rewrite !andb_true_iff in H. destruct H as [[S U] L]. apply Qle_bool_iff in S, U. split.
  - intros A phi Ht n. eapply Qle_trans; [|exact U].
    destruct (curve_at_spec (positions c) (Some (root c)) P) as (_ & S0 & S1).
    assert (most_scaled (curve_at (of_list (positions c)) (Some (root c))) (reversed k) (slope k)
            == most (curve_at (of_list (positions c)) (Some (root c))) (reversed k) (slope k)) as ->
      by (unfold most_scaled, most; destruct (reversed k); now rewrite worth_scaled_spec).
    now apply upper_sound.
  - assert (exists v0 c0, v0 = Some (root c) /\ reaches (of_list (positions c)) v0 c0 /\
      lower k <= gained (reversed k) (slope k) (fst c0) (snd c0)) as (v0 & c0 & -> & R & Le).
    { destruct (attained_by k) as [j|].
      - destruct (PositiveMap.find j known) as [[u [p0 p1]]|] eqn:F; [|discriminate].
        apply andb_true_iff in L as [Eu L]. apply Pos.eqb_eq in Eu as ->. apply Qle_bool_iff in L.
        exists (Some (root c)), (p0, p1). split; [reflexivity|]. split; [|exact L].
        apply (evaluated_sound _ _ _ _) with (2 := E) in F; [exact F|].
        intros ? ? ? X. now rewrite PositiveMap.gempty in X.
      - apply Qle_bool_iff in L. exists (Some (root c)), (0, 0). split; [reflexivity|]. split.
        + exists (Stop false), O. intros [|n] _ a b; simpl; lra.
        + unfold gained. destruct (reversed k); simpl; lra. }
    destruct (reaches_attained _ _ _ R) as (n & A & phi & Ht & G). exists n, A, phi. split; [exact Ht|].
    unfold v, K. rewrite G. exact Le.
Qed.
